// The linear layer of the stand-in (stand_in_nnfunctions.h), by its definition. The convolutions are left out: an image
// whose programs have none must link without them.
#include <arm_nnfunctions.h>

// Doubling high product rounded to nearest, then a rounding shift to the right, halves away from zero.
static int32_t requantize(int32_t value, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
  const int64_t product = (int64_t)(int32_t)((uint32_t)value << left) * multiplier;
  const int32_t high = (int32_t)((product + (1 << 30)) >> 31);
  const int32_t mask = (int32_t)((1u << right) - 1);
  const int32_t result = high >> right;
  const int32_t threshold = (mask >> 1) + (result < 0 ? 1 : 0);
  return result + ((high & mask) > threshold ? 1 : 0);
}

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* filter) {
  (void)filter;
  return 0;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context* context, const cmsis_nn_fc_params* params,
                                           const cmsis_nn_per_tensor_quant_params* factor, const cmsis_nn_dims* in_dims,
                                           const int8_t* in, const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                           const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                           const cmsis_nn_dims* out_dims, int8_t* out) {
  (void)context, (void)bias_dims, (void)out_dims;
  for (int32_t n = 0; n < in_dims->n; ++n) {
    for (int32_t o = 0; o < filter_dims->c; ++o) {
      int32_t sum = bias != 0 ? bias[o] : 0;
      for (int32_t i = 0; i < filter_dims->n; ++i)
        sum += (in[n * filter_dims->n + i] + params->input_offset) *
               (filter[o * filter_dims->n + i] + params->filter_offset);
      int32_t value = requantize(sum, factor->multiplier, factor->shift) + params->output_offset;
      if (value < params->activation.min) value = params->activation.min;
      if (value > params->activation.max) value = params->activation.max;
      out[n * filter_dims->c + o] = (int8_t)value;
    }
  }
  return 0;
}
