// SPDX-License-Identifier: Apache-2.0
//
// Splits the environments of a call to a pool on a GPU into launches.
#include <algorithm>

#include "envpool/bindings/gpu/pool.h"

namespace envpool::cuda {

// Splits the environments of a call into parts, each of one group. The ids of a call to an asynchronous pool must
// consist of whole groups.
std::vector<DevicePool::CallPart> DevicePool::parts_of(const py::object& env_id, const char* call) {
  if (env_id.is_none()) return parts_of_all(call);
  const bool on_device = py::isinstance<DeviceArray>(env_id);
  const auto* known = on_device ? env_id.cast<const DeviceArray&>().values() : nullptr;
  if (known != nullptr) return parts_of_ids(known->data(), i64(known->size()), call);
  ids_.convert(on_device ? py::object(env_id.attr("numpy")()) : env_id, "env_id", options_.label);
  return parts_of_ids(ids_.data(), ids_.size(), call);
}

std::vector<DevicePool::CallPart> DevicePool::parts_of_all(const char* call) {
  std::vector<CallPart> parts;
  for (const auto& group : groups_) {
    parts.push_back(part_of(*group, group->ids, i64(parts.size()) * options_.batch_size));
  }
  require_distinct_idle(parts, call);
  return parts;
}

std::vector<DevicePool::CallPart> DevicePool::parts_of_ids(const i32* ids, i64 count, const char* call) {
  std::vector<CallPart> parts;
  const i32 size = options_.batch_size;
  if (count == 0)
    label_.throw_invalid_argument(std::string(call) + ": env_id: expected at least one environment, got none");
  if (groups_.size() > 1 && count % size != 0) {
    label_.throw_invalid_argument(std::string(call) + ": env_id: expected whole batches of " + std::to_string(size) +
                                  " environments, got " + std::to_string(count));
  }
  for (i64 first = 0; first < count; first += size) {
    if (ids[first] < 0 || ids[first] >= num_envs_) require_idle(ids[first], call);  // refuses the id
    Group* group = groups_[size_t(ids[first] / size)].get();
    parts.push_back(part_of(*group, checked_ids(ids + first, std::min<i64>(size, count - first), *group, call), first));
  }
  require_distinct_idle(parts, call);
  return parts;
}

void DevicePool::require_distinct_idle(const std::vector<CallPart>& parts, const char* call) const {
  std::vector<const Group*> groups;
  for (const CallPart& part : parts) {
    if (std::find(groups.begin(), groups.end(), part.group) != groups.end()) {
      label_.throw_invalid_argument(std::string(call) + ": env_id: expected distinct ids, got " +
                                    std::to_string(part.ids->front()) + " twice");
    }
    groups.push_back(part.group);
    if (part.whole() && under_way_ == 0) continue;
    for (const i32 id : *part.ids) require_idle(id, call);
  }
}

// Checks that the ids are distinct, and in an asynchronous pool that they are exactly the ids of the group.
DevicePool::Ids DevicePool::checked_ids(const i32* ids, i64 count, const Group& group, const char* call) const {
  if (std::equal(ids, ids + count, group.ids->begin(), group.ids->end())) return group.ids;
  std::vector<i32> sorted(ids, ids + count);
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    label_.throw_invalid_argument(std::string(call) + ": env_id: expected distinct ids, got " + std::to_string(*twice) +
                                  " twice");
  }
  if (groups_.size() > 1 && sorted != *group.ids) {
    label_.throw_invalid_argument(std::string(call) + ": env_id: expected environments " +
                                  std::to_string(group.ids->front()) + " to " + std::to_string(group.ids->back()) +
                                  ", which are one batch, got " + std::to_string(sorted.front()) + " to " +
                                  std::to_string(sorted.back()));
  }
  return std::make_shared<const std::vector<i32>>(ids, ids + count);
}

}  // namespace envpool::cuda
