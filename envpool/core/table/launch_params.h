// SPDX-License-Identifier: Apache-2.0
//
// The parameters of a row in a kernel (kernel.h). There are three variants. By default, all rows have the parameters
// that are the kernel's argument. With ENVPOOL_PARAMS_EACH, each environment of a pool has its own, in device memory,
// and replaces them when it begins an episode after its options have changed. With ENVPOOL_TUNED, options are columns
// with a value for each row of the caller's states, and each thread makes its own parameters.
#pragma once

#include "envpool/core/table/launch.h"
#include "envpool/core/table/tunables.h"

#ifdef __CUDACC__

namespace envpool::device {

#ifdef ENVPOOL_TUNED

using KernelLaunch = TunedLaunch;

template <class Env>
class RowParams {
 public:
  using Params = typename Env::Params;

  RowParams(const TunedLaunch& launch, const Params& shared, const BatchIndex& index, i64)
      : launch_(launch), shared_(shared), index_(index) {
    read(0, launch.num_options);
  }
  const Params& params() const { return params_; }
  i32 limit() const { return limit_; }
  // Returns whether there is a value that is not accepted, and reports it.
  bool has_fault(i64 row) const {
    if (bad_ < 0) return false;
    const i64 option = launch_.options[bad_].number - abi::kTimeLimit;
    *launch_.fault = Fault{Fault::kOption, row, option}.packed();
    return true;
  }
  // Changes to the parameters of the episode that row number `row` begins after its step. An option that cannot be used
  // is reported, and the episode has the value that make() got.
  void begin_next(i64 row) {
    if (launch_.rules.begins) return;
    if (launch_.num_next_options >= 0) read(launch_.num_options, launch_.num_next_options);
    has_fault(row);
  }
  // Changes to the parameters that have been set for the next episode. Returns whether there were any.
  bool take_next() { return false; }

 private:
  void read(i32 first, i32 count) {
    params_ = shared_;
    limit_ = launch_.limit;
    for (i32 i = first; i < first + count; ++i) {
      const Operand& column = launch_.options[i];
      const abi::Dtype dtype = abi::Dtype(column.dtype);
      const bool is_limit = column.number == abi::kTimeLimit;
      const abi::Tunable option = is_limit ? abi::Tunable{nullptr, abi::kOptionInt, abi::kI32, 0, 0, kMostI32, 0, 1}
                                           : launch_.tunables[column.number];
      u8* to = is_limit ? reinterpret_cast<u8*>(&limit_) : reinterpret_cast<u8*>(&params_) + option.at;
      const u8* from = index_.at(column);
      i32 left_out = 0;  // elements before the next one that Params have
      for (i32 e = 0; e < option.elements; ++e) {
        const bool is_kept = left_out == 0;
        left_out = (is_kept ? option.one_in : left_out) - 1;
        const TunableValue value(option, is_kept ? read_number(to, option.dtype) : 0, dtype);
        const f64 number = read_number(from, dtype);
        if (!value.accepts(number)) {
          if (bad_ < 0) bad_ = i;
        } else if (is_kept) {
          write_number(to, option.dtype, value.used(number));
        }
        if (is_kept) to += size_of(option.dtype);
        from += size_of(dtype);
      }
    }
    derive<Env>(params_);
  }

  const TunedLaunch& launch_;
  const Params& shared_;
  const BatchIndex& index_;
  Params params_;
  i32 limit_, bad_ = -1;  // bad_ is the index of the first column whose value is not accepted
};

#else

using KernelLaunch = Launch;

template <class Env>
class RowParams {
 public:
  using Params = typename Env::Params;

  RowParams(const Launch& launch, const Params& shared, const BatchIndex&, i64 env)
#ifdef ENVPOOL_PARAMS_EACH
      : launch_(launch),
        env_(env),
        params_(reinterpret_cast<const Params*>(launch.params)[env]),
#else
      : params_(shared),
#endif
        limit_(launch.limits != nullptr ? launch.limits[env] : launch.limit) {
  }
  const Params& params() const { return params_; }
  i32 limit() const { return limit_; }
  bool has_fault(i64) const { return false; }
  void begin_next(i64) {}
#ifdef ENVPOOL_PARAMS_EACH
  bool take_next() {
    if (launch_.next == nullptr) return false;
    NextParams<Params>& next = reinterpret_cast<NextParams<Params>*>(launch_.next)[env_];
    if (next.changed == 0) return false;
    next.changed = 0;
    reinterpret_cast<Params*>(launch_.params)[env_] = next.params;
    launch_.limits[env_] = limit_ = next.limit;
    return true;
  }

 private:
  const Launch& launch_;
  const i64 env_;
#else
  bool take_next() { return false; }

 private:
#endif
  const Params& params_;
  i32 limit_;
};

#endif

}  // namespace envpool::device

#endif  // __CUDACC__
