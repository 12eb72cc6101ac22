// Sends a job to the machine that its target names.
#include "host/job.h"

namespace wick::host {

JobResult run_job(const Job& job) {
  if (job.target == "host") return run_job_on_host(job);
  JobResult result;
  result.error = "target " + job.target + " is not one that this build can reach";
  return result;
}

}  // namespace wick::host
