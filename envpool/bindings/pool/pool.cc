// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/pool/pool.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/bindings/arguments.h"
#include "envpool/bindings/constants.h"
#include "envpool/bindings/interpreter.h"
#include "envpool/bindings/jax/pool.h"
#include "envpool/bindings/pool/actions.h"
#include "envpool/bindings/pool/calls.h"
#include "envpool/bindings/pool/live_pools.h"
#include "envpool/bindings/pool/output_arrays.h"
#include "envpool/bindings/pool/owned_pool.h"
#include "envpool/bindings/pool/statistics.h"
#include "envpool/bindings/seeds.h"
#include "envpool/bindings/snapshots.h"
#include "envpool/bindings/table.h"
#include "envpool/core/pool/env_pool.h"

namespace envpool::python {

namespace {

class PyPool {
 public:
  // A table, the id, the number of environments, and their options: one dict for all of them, or one for each.
  using Task = std::tuple<const PyTable*, std::string, i32, std::vector<py::dict>>;

  PyPool(const std::vector<Task>& tasks, std::string label, i32 batch_size, i32 num_threads,
         const std::vector<i32>& thread_cpus, const py::object& seeds, const py::object& streams, i32 autoreset,
         const std::vector<i32>& max_episode_steps, const std::vector<std::string>& outputs,
         const StatisticsOptions& statistics)
      : ids_(num_envs_of(tasks, label)) {
    const i32 num_envs = ids_.num_envs();
    check("batch_size", batch_size, 0, num_envs, label);
    check("num_threads", num_threads, 0, kMaxNumThreads, label);
    check("autoreset", autoreset, 0, 2, label);
    const Seeds generators(seeds, streams);
    if (generators.size() != num_envs || i32(max_episode_steps.size()) != num_envs)
      throw py::value_error("[" + label + "] seeds, streams, max_episode_steps: expected num_envs values of each");
    std::vector<MemberConfig> members;
    i32 first = 0;
    for (const auto& [table, id, count, options] : tasks) {
      if (table == nullptr) throw py::type_error("[" + label + "] tasks: expected tables, got None");
      if (options.size() != 1 && i32(options.size()) != count)
        throw py::value_error("[" + label + "] tasks: expected one dict of options, or one for each environment");
      const auto part = [&](const auto& values) {
        return std::vector(values.begin() + first, values.begin() + first + count);
      };
      EnvConfig config{count,
                       abi::Autoreset(autoreset),
                       {},
                       part(max_episode_steps),
                       part(generators.all_seeds()),
                       part(generators.all_streams())};
      for (const py::dict& one : options) config.options.push_back(PyTable::option_list(one));
      members.push_back({&table->get(), id, std::move(config)});
      first += count;
    }
    {
      const Unlocked unlocked;
      pool_.own(EnvPool::make(members, {std::move(label), batch_size, num_threads, thread_cpus, statistics}));
    }
    LivePools::add(pool_.shared());
    actions_ = std::make_unique<ActionArguments>(*pool_);
    outputs_.choose(*pool_, outputs);
  }
  // Creates a pool from keyword arguments. They are looked up here, because pybind11's own lookup dereferences null
  // when memory runs out. Prepends the label to errors of environments' constructors, which do not know it.
  static std::unique_ptr<PyPool> make(const py::kwargs& arguments) {
    for (const char* name : kKeywords) {
      if (arguments.size() != std::size(kKeywords) || !arguments.contains(name)) {
        std::string names;
        for (const char* known : kKeywords) names += (names.empty() ? "" : ", ") + std::string(known);
        throw py::type_error("Pool: expected the keywords " + names);
      }
    }
    const auto label = arguments["label"].cast<std::string>();
    const auto tasks = arguments["tasks"].cast<std::vector<Task>>();
    const auto batch_size = arguments["batch_size"].cast<i32>();
    try {
      return std::make_unique<PyPool>(tasks, label, batch_size, arguments["num_threads"].cast<i32>(),
                                      arguments["thread_cpus"].cast<std::vector<i32>>(), py::object(arguments["seeds"]),
                                      py::object(arguments["streams"]), arguments["autoreset"].cast<i32>(),
                                      arguments["max_episode_steps"].cast<std::vector<i32>>(),
                                      arguments["outputs"].cast<std::vector<std::string>>(),
                                      statistics_options(arguments["statistics"].cast<py::dict>()));
    } catch (const TableError& error) {
      throw std::invalid_argument("[" + label + "] " + error.what());
    } catch (const NoMemory&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw NoMemory("[" + label + "] num_envs: no memory for " + std::to_string(num_envs_of(tasks, label)) +
                     " environments in batches of " + std::to_string(batch_size));
    }
  }
  PyPool(const PyPool&) = delete;
  PyPool& operator=(const PyPool&) = delete;

  // The send and the recv of a step are one unit: steps of other threads wait.
  py::tuple step(const py::object& action, const py::object& env_id) {
    const Call call(calls_, {action, env_id}, Call::Waits::kAlways);
    send_actions(action, env_id, CallerHelp::kYes);
    return receive_or_abandon(CallerHelp::kYes);
  }

  void abandon() { calls_.abandon(); }

  void send(const py::object& action, const py::object& env_id) {
    const Call call(calls_, {action, env_id});
    send_actions(action, env_id, CallerHelp::kNo);
  }

  // `options` is None, or bytes that are passed to the environments.
  void reset(const py::object& env_id, const py::object& seeds, const py::object& streams, const py::object& options) {
    const Call call(calls_, {env_id, seeds, streams});
    begin_episodes(env_id, seeds, streams, options, /*receives=*/false);
  }
  // In one call, so that no signal handler can run and raise in between.
  py::tuple reset_and_recv(const py::object& env_id, const py::object& seeds, const py::object& streams,
                           const py::object& options) {
    const Call call(calls_, {env_id, seeds, streams});
    begin_episodes(env_id, seeds, streams, options, /*receives=*/true);
    return receive_or_abandon(CallerHelp::kNo);
  }

  py::tuple recv(double timeout) {
    calls_.check_usable();
    if (std::isnan(timeout)) throw py::value_error(pool_->text("timeout: expected seconds, got nan"));
    EnvPool::Deadline deadline;
    if (timeout >= 0 && timeout < 1e8) {
      deadline = EnvPool::Clock::now() +
                 std::chrono::duration_cast<EnvPool::Clock::duration>(std::chrono::duration<double>(timeout));
    }
    calls_.reclaim();
    while (true) {
      // In a synchronous pool, a step or a reset of another thread holds the lock until it has received its own batch.
      // If nothing is under way, this call may wait for a send of another thread, which needs the lock.
      {
        const Call call(calls_);
        const bool polls = calls_.is_synchronous() && pool_->under_way() == 0;
        const EnvPool::Deadline until = polls ? EnvPool::Deadline(EnvPool::Clock::now()) : deadline;
        try {
          return make_arrays(receive(until, CallerHelp::kNo));
        } catch (const TimedOut&) {
          if (!polls || (deadline && EnvPool::Clock::now() >= *deadline)) throw;
        }
      }
      without_gil([](const auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }

  void discard() {
    const Call call(calls_);
    calls_.discard_results();
  }

  py::list snapshot(const py::object& env_ids) {
    const Call call(calls_, {env_ids});
    const std::vector<i32> ids = converted_ids(env_ids);
    return list_of_bytes(without_gil_if_long(ids, [&] { return pool_->snapshot(ids.data(), i32(ids.size())); }));
  }
  void restore(const py::object& env_ids, const std::vector<py::bytes>& states) {
    const Call call(calls_, {env_ids});
    const std::vector<i32> ids = converted_ids(env_ids);
    const std::vector<std::string_view> views = views_of(states, i64(ids.size()), pool_->label());
    without_gil_if_long(ids, [&] { pool_->restore(ids.data(), i32(ids.size()), views.data()); });
  }
  void clone(const py::object& sources, const py::object& env_ids, const py::object& seeds, const py::object& streams) {
    const Call call(calls_, {sources, env_ids, seeds, streams});
    const std::vector<i32> from = converted_ids(sources), ids = converted_ids(env_ids);
    const Seeds generators(seeds, streams, i64(ids.size()), pool_->label());
    without_gil_if_long(
        ids, [&] { pool_->clone(from.data(), ids.data(), i32(ids.size()), generators.seeds(), generators.streams()); });
  }

  // Returns the arrays of a batch with the current observations of idle environments.
  py::tuple observe(const py::object& env_ids) {
    const Call call(calls_, {env_ids});
    Batch batch;
    {
      const ArgumentsLock arguments_lock(calls_);
      ids_.convert(env_ids, "env_ids", pool_->label());
      batch = pool_->observe(ids_.data(), ids_.size());
    }
    return make_arrays(std::move(batch), OutputArrays::Rows::kObserved);
  }

  i64 state_bytes(i32 env_id) {
    const Call call(calls_);
    return pool_->state_bytes(env_id);
  }
  // Returns the same `bytes` bytes at `offset` of each environment's state, as u8 of shape (environments, bytes).
  py::array read_states(const py::object& env_ids, std::int64_t offset, std::int64_t bytes, const std::string& name) {
    const Call call(calls_, {env_ids});
    const ArgumentsLock arguments_lock(calls_);
    ids_.convert(env_ids, "env_ids", pool_->label());
    py::array_t<u8> data({py::ssize_t(ids_.size()), py::ssize_t(std::max<std::int64_t>(bytes, 0))});
    pool_->read_states(ids_.data(), ids_.size(), offset, bytes, reinterpret_cast<char*>(data.mutable_data()),
                       name.c_str());
    return data;
  }
  void write_states(const py::object& env_ids, std::int64_t offset, const py::array_t<u8, py::array::c_style>& data) {
    const Call call(calls_, {env_ids});
    const ArgumentsLock arguments_lock(calls_);
    ids_.convert(env_ids, "env_ids", pool_->label());
    if (data.ndim() != 2 || data.shape(0) != ids_.size()) {
      throw py::value_error(pool_->text("states: expected an array with one row of bytes per environment"));
    }
    pool_->write_states(ids_.data(), ids_.size(), offset, data.shape(1), reinterpret_cast<const char*>(data.data()));
  }

  // Sets options of environments from their next episodes on. `values` has a row for each environment, with all
  // elements of each of these options.
  void set_options(const py::object& env_ids, const std::vector<std::string>& names,
                   const py::array_t<f64, py::array::c_style | py::array::forcecast>& values, const std::string& name) {
    const Call call(calls_, {env_ids});
    const ArgumentsLock arguments_lock(calls_);
    ids_.convert(env_ids, "env_ids", pool_->label());
    if (values.ndim() != 2 || values.shape(0) != ids_.size()) {
      throw py::value_error(pool_->text("values: expected a row per environment"));
    }
    pool_->set_options(ids_.data(), ids_.size(), names, values.data(), values.shape(1), name.c_str());
  }
  std::vector<std::vector<f64>> options(const py::object& env_ids) {
    const Call call(calls_, {env_ids});
    const ArgumentsLock arguments_lock(calls_);
    ids_.convert(env_ids, "env_ids", pool_->label());
    std::vector<std::vector<f64>> all;
    for (i64 k = 0; k < ids_.size(); ++k) all.push_back(pool_->get_options(ids_.data()[k]));
    return all;
  }

  py::array render(const py::object& env_ids) {
    const Call call(calls_, {env_ids});
    const ArgumentsLock arguments_lock(calls_);
    ids_.convert(env_ids, "env_ids", pool_->label());
    const abi::Layout& layout = ids_.size() > 0 ? pool_->layout(*ids_.data()) : pool_->layout();
    py::array_t<u8> images({py::ssize_t(ids_.size()), py::ssize_t(layout.render_height),
                            py::ssize_t(layout.render_width), py::ssize_t(3)});
    pool_->render(ids_.data(), ids_.size(), images.mutable_data());
    return images;
  }

  py::list players(const py::object& env_ids) {
    const Call call(calls_, {env_ids});
    const ArgumentsLock arguments_lock(calls_);
    ids_.convert(env_ids, "env_ids", pool_->label());
    std::vector<i32> counts(size_t(ids_.size()));
    pool_->players(ids_.data(), ids_.size(), counts.data());
    py::list list;
    for (const i32 count : counts) list.append(py::int_(count));
    return list;
  }

  bool over(i32 env_id) {
    const Call call(calls_);
    if (env_id < 0 || env_id >= pool_->num_envs()) throw std::invalid_argument("env_id out of range");
    return pool_->over(env_id);
  }

  // Returns what jitted code needs: the handle, and for each output the number of its array, its dtype, the shape of a
  // row and whether it is per player.
  py::tuple xla() {
    calls_.check_usable();
    if (registration_.reference == nullptr) {
      registration_ = xla::register_pool(pool_.shared(), calls_.share_with_programs());
    }
    return py::make_tuple(py::bytes(xla::handle_of(registration_.number)), std::int64_t(registration_.number),
                          outputs_.describe(*pool_));
  }

  py::dict statistics() {
    calls_.check_usable();
    return statistics_of(*pool_);
  }
  void set_statistics(const py::dict& values) {
    calls_.check_usable();
    python::set_statistics(*pool_, values);
  }
  bool updates_moments() {
    calls_.check_usable();
    return pool_->access_statistics([](const Statistics& statistics) { return statistics.updates_moments; });
  }
  void set_updates_moments(bool value) {
    calls_.check_usable();
    pool_->access_statistics([value](Statistics& statistics) { statistics.updates_moments = value; });
  }

  void close(double timeout) {
    if (pool_->forked()) return;
    without_gil([&](const auto& interrupted) { pool_->close(std::chrono::duration<double>(timeout), interrupted); });
  }
  bool closed() const { return pool_->closed(); }
  py::int_ under_way() const { return pool_->under_way(); }
  py::int_ num_threads() const { return pool_->num_threads(); }
  py::int_ batch_size() const { return pool_->batch_size(); }

 private:
  std::vector<i32> converted_ids(const py::object& env_ids) {
    const ArgumentsLock arguments_lock(calls_);
    ids_.convert(env_ids, "env_ids", pool_->label());
    return {ids_.data(), ids_.data() + ids_.size()};
  }
  // Releases the interpreter lock if the action may take long: because it accesses several environments, or because
  // other processes have to answer. For less, other threads would delay the caller when it takes the lock again.
  template <class Action>
  std::invoke_result_t<Action> without_gil_if_long(const std::vector<i32>& ids, Action&& action) {
    const bool waits = pool_->waits_for_processes();
    if (ids.size() == 1 && !waits) return action();
    try {
      const Unlocked unlocked;
      return action();
    } catch (const std::exception&) {
      // If a signal has ended the wait for a process, its handler raises the exception that the caller expects.
      if (waits && PyErr_CheckSignals() != 0) throw py::error_already_set();
      throw;
    }
  }

  static constexpr const char* kKeywords[] = {"tasks",     "label",   "batch_size", "num_threads",       "thread_cpus",
                                              "seeds",     "streams", "autoreset",  "max_episode_steps", "outputs",
                                              "statistics"};

  static i32 num_envs_of(const std::vector<Task>& tasks, const std::string& label) {
    i64 sum = 0;
    for (const Task& task : tasks) sum += check("num_envs", std::get<i32>(task), 1, kMaxNumEnvs, label);
    return check("num_envs", i32(std::min(sum, i64(kMaxNumEnvs) + 1)), 1, kMaxNumEnvs, label);
  }
  static i32 check(const char* name, i32 value, i32 low, i32 high, const std::string& label) {
    if (value < low || value > high) {
      throw py::value_error("[" + label + "] " + name + ": expected " + std::to_string(low) + ".." +
                            std::to_string(high) + ", got " + std::to_string(value));
    }
    return value;
  }

  // Receives what this call has sent. If a signal handler raises meanwhile, nobody will.
  py::tuple receive_or_abandon(CallerHelp help) {
    Batch batch;
    try {
      batch = receive({}, help);
    } catch (const py::error_already_set&) {  // raised by a signal handler
      calls_.abandon();
      throw;
    }
    return make_arrays(std::move(batch));
  }
  Batch receive(const EnvPool::Deadline& deadline, CallerHelp help) {
    Batch batch = without_gil([&](const auto& interrupted) { return pool_->begin_recv(deadline, interrupted, help); });
    // The handler of a signal during a short wait would run once this call has returned. If it then raised, the batch
    // would be lost.
    if (PyErr_CheckSignals() != 0) {
      pool_->put_back(std::move(batch));
      throw py::error_already_set();
    }
    return batch;
  }

  void begin_episodes(const py::object& env_id, const py::object& seeds, const py::object& streams,
                      const py::object& options, bool receives) {
    const ArgumentsLock arguments_lock(calls_);
    ids_.convert(env_id, "env_id", pool_->label());
    const Seeds generators(seeds, streams, ids_.size(), pool_->label());
    const std::string bytes = options.is_none() ? std::string() : options.cast<std::string>();
    pool_->reset(ids_.data(), ids_.size(), generators.seeds(), generators.streams(), bytes, receives);
  }

  void send_actions(const py::object& action, const py::object& env_id, CallerHelp help) {
    const ArgumentsLock arguments_lock(calls_);
    actions_->convert(action, env_id, ids_, pool_->label());
    pool_->send(ids_.data(), ids_.size(), actions_->data(), actions_->owners(), actions_->rows(), help);
    actions_->release();
  }
  py::tuple make_arrays(Batch batch, OutputArrays::Rows rows = OutputArrays::Rows::kReceived) {
    return outputs_.make(*pool_, std::move(batch), rows);
  }

  OwnedPool pool_;
  Calls calls_{pool_};
  IdsArgument ids_;
  std::unique_ptr<ActionArguments> actions_;
  OutputArrays outputs_;
  xla::PoolRegistration registration_{-1, nullptr};  // for jitted code; made by the first call of xla()
};

// Replaces pybind11's tp_new, which would dereference null when memory runs out, with a version that checks the result
// of tp_alloc.
void check_new_objects(PyHeapTypeObject* type) {
  type->ht_type.tp_new = [](PyTypeObject* of, PyObject*, PyObject*) -> PyObject* {
    PyObject* self = of->tp_alloc(of, 0);
    if (self != nullptr) reinterpret_cast<py::detail::instance*>(self)->allocate_layout();
    return self;
  };
}

}  // namespace

void bind_pool(py::module_& m) {
  env_error() = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc("envpool._core.EnvError",
                                "Environments threw exceptions. env_id has their ids, messages the exceptions, and "
                                "arrays the batch, in which these "
                                "environments have been reset.",
                                PyExc_RuntimeError, nullptr));
  m.attr("EnvError") = env_error();
  py::class_<PyPool>(m, "Pool", py::custom_type_setup(&check_new_objects))
      .def(py::init(&PyPool::make))
      .def("step", &PyPool::step, py::arg("action"), py::arg("env_id") = py::none())
      .def("send", &PyPool::send, py::arg("action"), py::arg("env_id") = py::none())
      .def("reset", &PyPool::reset, py::arg("env_id") = py::none(), py::arg("seeds") = py::none(),
           py::arg("streams") = py::none(), py::arg("options") = py::none())
      .def("reset_and_recv", &PyPool::reset_and_recv, py::arg("env_id") = py::none(), py::arg("seeds") = py::none(),
           py::arg("streams") = py::none(), py::arg("options") = py::none())
      .def("recv", &PyPool::recv, py::arg("timeout") = -1.0)
      .def("abandon", &PyPool::abandon)
      .def("discard", &PyPool::discard)
      .def("snapshot", &PyPool::snapshot, py::arg("env_ids"))
      .def("restore", &PyPool::restore, py::arg("env_ids"), py::arg("states"))
      .def("clone", &PyPool::clone, py::arg("sources"), py::arg("env_ids"), py::arg("seeds") = py::none(),
           py::arg("streams") = py::none())
      .def("observe", &PyPool::observe, py::arg("env_ids") = py::none())
      .def(
          "state_bytes", [](PyPool& pool, i32 env_id) { return std::int64_t(pool.state_bytes(env_id)); },
          py::arg("env_id"))
      .def("read_states", &PyPool::read_states, py::arg("env_ids"), py::arg("offset"), py::arg("bytes"),
           py::arg("call") = "states")
      .def("write_states", &PyPool::write_states, py::arg("env_ids"), py::arg("offset"), py::arg("data"))
      .def("set_options", &PyPool::set_options, py::arg("env_ids"), py::arg("names"), py::arg("values"),
           py::arg("call") = "set_options")
      .def("options", &PyPool::options, py::arg("env_ids"))
      .def("render", &PyPool::render, py::arg("env_ids") = py::none())
      .def("players", &PyPool::players, py::arg("env_ids") = py::none())
      .def("over", &PyPool::over, py::arg("env_id"))
      .def("statistics", &PyPool::statistics)
      .def("set_statistics", &PyPool::set_statistics, py::arg("values"))
      .def_property_readonly("updates_moments", &PyPool::updates_moments)
      .def("set_updates_moments", &PyPool::set_updates_moments, py::arg("value"))
      .def("xla", &PyPool::xla)
      .def("close", &PyPool::close, py::arg("timeout") = 10.0)
      .def_property_readonly("closed", &PyPool::closed)
      .def_property_readonly("under_way", &PyPool::under_way)
      .def_property_readonly("num_threads", &PyPool::num_threads)
      .def_property_readonly("batch_size", &PyPool::batch_size);
}

}  // namespace envpool::python
