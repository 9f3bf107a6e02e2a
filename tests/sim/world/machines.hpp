// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/context.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace fleet::sim {

enum class vitality : std::uint8_t {
  loading,  ///< binds no port yet
  serving,  ///< answers 200
  unwell,   ///< answers 503
  hung,     ///< accepts connections and says nothing
  remains,  ///< the server is gone, a worker still holds the devices
};

struct sim_process {
  std::string instance;
  slot_spec slot;
  std::uint64_t life = 0;  ///< of the router that launched it
  bool here = false;       ///< a child of that router
  vitality now = vitality::loading;
  bool faithful = false;  ///< reached whatever befalls the network: a stop lied about it
  bool clings = false;    ///< a worker survives the next stop
};

/// What somebody else does on a port that belongs to a slot.
enum class squatter : std::uint8_t { none, good, bad, mute };

/// How a launched process will behave.
struct upbringing {
  duration load = 10s;
  bool never_loads = false;
  duration fails_after{0};      ///< 0: it does not
  bool wrapper_leaves = false;  ///< the launched command ends well, the server stays
};

/// Hosts, ports and processes: what is really there.
class machines {
 public:
  explicit machines(context& world) : world_(world) {}

  // -- processes ------------------------------------------------------------

  /// `life`: of the router that launches; `here`: as a child of it.
  void start(const slot_spec& slot, const std::string& instance, bool here, std::uint64_t life,
             const upbringing& how);
  void end(const std::string& instance, exit_status how, bool leaves_worker = false);
  [[nodiscard]] sim_process* find(const std::string& instance);
  [[nodiscard]] const std::map<std::string, sim_process>& living() const { return living_; }
  [[nodiscard]] std::vector<std::string> living_on(const std::string& slot) const;
  [[nodiscard]] const exit_status* ended(const std::string& instance) const;

  /// Told of each end of a child of the living router.
  std::function<void(const process_exit&)> on_exit;
  /// Told when whatever served this port no longer does.
  std::function<void(std::uint16_t)> on_silence;

  void hang(const std::string& instance, duration how_long);
  void fall_ill(const std::string& instance, duration how_long);

  // -- the network ----------------------------------------------------------

  struct sight {
    probe_verdict verdict = probe_verdict::silent;
    bool connected = false;
    bool late = false;  ///< known only when the asker's patience is over
  };
  [[nodiscard]] sight look(std::uint16_t port);

  /// Something of ours answered there once.
  [[nodiscard]] bool has_served(std::uint16_t port) { return ports_[port].has_served; }

  /// Whether a turn's connection is accepted there.
  [[nodiscard]] bool accepts(std::uint16_t port);

  void cut(std::size_t host, duration how_long);
  void squat(std::uint16_t port, squatter how, duration how_long);
  void flap(std::uint16_t port, duration how_long);
  void blind(duration how_long) { blind_until_ = world_.now + how_long; }
  [[nodiscard]] bool is_cut(std::size_t host) const { return until(cuts_, host) > world_.now; }

  /// Everything but processes is well again.
  void heal();

  [[nodiscard]] static std::size_t host_of(std::uint16_t port);
  [[nodiscard]] static bool is_static(std::uint16_t port);

 private:
  struct port_state {
    std::string served_by;  // instance
    bool has_served = false;
    squatter taken = squatter::none;
    moment taken_until{0};
    moment flaps_until{0};
  };

  template <class Map, class Key>
  [[nodiscard]] static moment until(const Map& all, const Key& key) {
    const auto found = all.find(key);
    return found == all.end() ? moment(0) : found->second;
  }

  void loaded(const std::string& instance);
  void release_port(const sim_process& p);
  void recover(const std::string& instance, duration how_long);
  [[nodiscard]] squatter squatting(const port_state& p) const {
    return p.taken_until > world_.now ? p.taken : squatter::none;
  }

  context& world_;
  std::map<std::string, sim_process> living_;
  std::unordered_map<std::string, exit_status> ends_;
  std::unordered_map<std::uint16_t, port_state> ports_;
  std::unordered_map<std::size_t, moment> cuts_;
  moment blind_until_{0};
};

}  // namespace fleet::sim
