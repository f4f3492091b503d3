// SPDX-License-Identifier: Apache-2.0
//
// A pool whose environments live on a GPU: their states are in its memory, one launch steps all of them, and what comes
// back are arrays there. Only what copies to the host waits for the GPU.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "envpool/bindings/arguments.h"
#include "envpool/bindings/cuda_array.h"
#include "envpool/core/pool/environments.h"
#include "envpool/core/pool/snapshot.h"
#include "envpool/core/pool/state_buffer.h"
#include "envpool/core/table/device.h"

namespace envpool::cuda {

// Blocks of memory for results. The last array of a block gives it back, also after the pool was closed.
class Ring : public std::enable_shared_from_this<Ring> {
 public:
  Ring(std::shared_ptr<const Stream> stream, i64 bytes) : stream_(std::move(stream)), bytes_(bytes) {}
  ~Ring() { close(); }

  // Returns a block that no array uses. What is enqueued from now on may write it. The context has to be current.
  std::shared_ptr<Block> acquire();
  // Blocks that come back from now on are freed.
  void close();

 private:
  void give_back(std::unique_ptr<Block> block) noexcept;

  const std::shared_ptr<const Stream> stream_;
  const i64 bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> idle_;
  bool closed_ = false;
};

struct DeviceOptions {
  std::string label;    // for errors: the environment's id
  std::string library;  // the driver's
  std::string image;    // the program of envpool/cuda/program.py, compiled for the device
  i32 number = 0;       // of the device
  i32 threads = 128;    // of a block
};

class DevicePool {
 public:
  DevicePool(const abi::Table& table, const Construction& how, DeviceOptions options,
             const std::vector<std::string>& outputs);
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  // These do what the methods of the CPU's pool do. None of them waits for the device.
  py::tuple step(const py::object& action, const py::object& env_id);
  void send(const py::object& action, const py::object& env_id);
  void reset(const py::object& env_id, const py::object& seeds, const py::object& streams);
  py::tuple recv(f64 timeout);
  void discard();

  // These wait for the device.
  py::bytes snapshot(i32 env_id);
  void restore(i32 env_id, const std::string& snapshot);
  void clone(i32 source, const py::object& env_ids, const py::object& seeds, const py::object& streams);
  py::array render(const py::object& env_ids);
  py::list players(const py::object& env_ids);
  void wait();
  void close(f64 timeout);

  bool closed() const { return closed_; }
  i64 under_way() const { return under_way_; }
  i32 num_envs() const { return num_envs_; }

 private:
  // A launch whose results have not been received.
  struct Pending {
    std::shared_ptr<Block> block;
    i32 rows;
    std::vector<i32> env_ids;  // empty: all
  };
  // What a launch reads, kept until it has run.
  struct Inputs {
    Owned done;
    std::vector<py::object> objects{};
    std::vector<Memory> memory{};
  };

  std::string text(const std::string& what) const { return label_.text(what); }
  void check_open() const;
  void check_usable();
  void require_idle(i32 env_id, const char* call) const;
  u64 identity(i32 env_id) const { return snapshot_identity(label_, twin_.identity(kind(env_id))); }
  i32 kind(i32 env_id) const { return kind_of_[size_t(env_id)]; }
  Address slot(i32 env_id) const { return slots_.address() + Address(i64(env_id) * slot_bytes_); }
  std::string save(i32 env_id);
  EpisodeStatus status(i32 env_id);
  void place(i32 env_id, const std::string& state, EpisodeStatus status);
  std::string repaired(i32 env_id, const char* state, i64 size, const char* call);
  void download(void* to, Address from, i64 bytes);
  void check_memory(i64 states);
  void place_models(const Construction& how);
  void place_states(const Construction& how);
  void choose_outputs(const std::vector<std::string>& names);
  void begin(const py::object& env_id, const char* call, device::Work& work, Pending& pending, Inputs& inputs);
  void launch(device::Work& work, Pending pending, Inputs inputs);
  void convert(const py::object& action, const py::object& env_id, device::Work& work, Pending& pending,
               Inputs& inputs);
  void convert_field(size_t f, const py::object& value, device::Work& work, const Pending& pending, Inputs& inputs);
  void use_borrowed(size_t f, const Borrowed& given, i64 rows, device::Work& work);
  void let_go();
  Address staged(const void* from, i64 bytes, Inputs& inputs);
  template <class T>
  T* staged(const std::vector<T>& values, Inputs& inputs);

  const abi::Table& table_;
  const DeviceOptions options_;
  const Label label_;
  const i32 num_envs_;
  const abi::Autoreset autoreset_;
  std::vector<i32> kind_of_;  // of each environment: which set of options it has
  Environments twin_;         // on the CPU, one environment of each kind: first states, repairs, pictures
  const abi::Layout& layout_;
  const BlockLayout blocks_;
  std::vector<i64> offsets_;  // of a block's arrays
  i64 done_at_ = 0, block_bytes_ = 0, slot_bytes_ = 0;
  std::vector<i64> save_bytes_;  // of each kind
  std::vector<int> outputs_;     // numbers of arrays; -1 is done
  std::vector<python::ActionArgument> arguments_;
  python::IdsArgument ids_;

  std::shared_ptr<const Stream> stream_;
  std::unique_ptr<Word> fault_;
  Owned module_;
  Handle kernel_ = nullptr;
  std::shared_ptr<Ring> ring_;
  Memory slots_, params_, limits_, players_, over_;
  std::vector<Memory> blobs_, counts_, converted_;
  std::string shared_params_;

  std::deque<Pending> pending_;
  std::deque<Inputs> held_;
  static constexpr size_t kMostSpare = 16;
  std::vector<Memory> spare_;
  std::vector<u8> busy_;  // which environments are under way, unless all are
  bool all_busy_ = false;
  i64 under_way_ = 0;
  bool closed_ = false;
};

void bind_pool(py::module_& module);

}  // namespace envpool::cuda
