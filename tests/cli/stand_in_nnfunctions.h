// A stand-in for the interface of CMSIS-NN that wick's adapter compiles against: names and shapes of what it uses.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int arm_cmsis_nn_status;
typedef struct {
  void* buf;
  int32_t size;
} cmsis_nn_context;
typedef struct {
  int32_t n, h, w, c;
} cmsis_nn_dims;
typedef struct {
  int32_t w, h;
} cmsis_nn_tile;
typedef struct {
  int32_t min, max;
} cmsis_nn_activation;
typedef struct {
  int32_t input_offset, output_offset;
  cmsis_nn_tile stride, padding, dilation;
  cmsis_nn_activation activation;
} cmsis_nn_conv_params;
typedef struct {
  int32_t input_offset, output_offset, ch_mult;
  cmsis_nn_tile stride, padding, dilation;
  cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;
typedef struct {
  int32_t input_offset, filter_offset, output_offset;
  cmsis_nn_activation activation;
} cmsis_nn_fc_params;
typedef struct {
  int32_t *multiplier, *shift;
} cmsis_nn_per_channel_quant_params;
typedef struct {
  int32_t multiplier, shift;
} cmsis_nn_per_tensor_quant_params;

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params*, const cmsis_nn_dims*, const cmsis_nn_dims*,
                                                const cmsis_nn_dims*);
arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context*, const cmsis_nn_conv_params*,
                                            const cmsis_nn_per_channel_quant_params*, const cmsis_nn_dims*,
                                            const int8_t*, const cmsis_nn_dims*, const int8_t*, const cmsis_nn_dims*,
                                            const int32_t*, const cmsis_nn_dims*, int8_t*);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params*, const cmsis_nn_dims*,
                                                      const cmsis_nn_dims*, const cmsis_nn_dims*);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context*, const cmsis_nn_dw_conv_params*,
                                                  const cmsis_nn_per_channel_quant_params*, const cmsis_nn_dims*,
                                                  const int8_t*, const cmsis_nn_dims*, const int8_t*,
                                                  const cmsis_nn_dims*, const int32_t*, const cmsis_nn_dims*, int8_t*);
int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims*);
arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context*, const cmsis_nn_fc_params*,
                                           const cmsis_nn_per_tensor_quant_params*, const cmsis_nn_dims*, const int8_t*,
                                           const cmsis_nn_dims*, const int8_t*, const cmsis_nn_dims*, const int32_t*,
                                           const cmsis_nn_dims*, int8_t*);

#ifdef __cplusplus
}
#endif
