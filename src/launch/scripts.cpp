// SPDX-License-Identifier: MIT
#include "scripts.hpp"

namespace fleet::scripts {

namespace {

// settle_group says once whose the group is; that holds as long as it exists, for the system does
// not give its number away before. find_ours sets `members` (of the group, when it is the launched
// one) and `others` (elsewhere). A look reads one process after the other, so it may miss one that
// was started meanwhile; whether the group exists, the system knows for sure. Zombies keep it, too.
// `kill -s NAME -- -GROUP` is not known to every sh.
//
// Elsewhere the system cannot be asked. But process numbers are given out one after the other, so a
// process of our own before a look and one behind it tell whether another was started meanwhile.
// Who lives after a look without such a start was there all the time, or was started since the look
// before, or is an heir of such a one; so it is enough to look at those that are new since then,
// until a look has seen no start. That takes a few milliseconds. A number is given out a bit before
// its process shows. A process shows no environment while another program takes its place, so
// nobody is there only when a later look finds nobody, too; and none either once its first thread
// has ended, then its other threads are asked (`headless`).
constexpr std::string_view find = R"sh(
export LC_ALL=C
instance=$1 group=$2 birth=$3
carried=PYPTO_ROUTER_INSTANCE=$instance
boot= ; read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id

can_search=
! printf 'a\000b\000' | tr '\000' '\n' 2>/dev/null | grep -qxF b 2>/dev/null || can_search=yes

carries() {
  { tr '\000' '\n' <"$1/environ"; } 2>/dev/null | grep -qxF -e "$carried"
}

reads_whole_lists=
! printf 'a\000b\000' | grep -qzxF b 2>/dev/null || reads_whole_lists=yes

# Sets `newest`: a process number that was given out just now, in the namespace of this shell.
read_newest() {
  : &
  newest=$!
  wait
}

can_queue=
if command -v flock >/dev/null && command exec 9</; then can_queue=yes; fi

# Sets `found`. Fails when a process was started since `newest` was read. `blind`: it was no look.
look_at() {
  from=$newest
  found=$(exec grep -lszxF -e "$carried" "$@" 2>/dev/null)
  [ "$?" -le 2 ] || blind=yes
  read_newest
  [ "$newest" -eq $((from + 2)) ]
}

list_since() {
  if [ "$newest" -lt "$1" ] || [ $((newest - $1)) -gt 1000 ]; then
    list='/proc/[0-9]*/environ /proc/[0-9]*/task/[0-9]*/environ'
    return 0
  fi
  list=/dev/null
  number=$(($1 > 64 ? $1 - 64 : 0))
  while [ "$number" -lt "$newest" ]; do
    number=$((number + 1))
    list="$list /proc/$number/environ"
  done
}

look_elsewhere() {
  others= unsure= found= blind= tries=$1
  if [ -n "$reads_whole_lists" ]; then
    read_newest
    look_at /proc/[0-9]*/environ $headless
    from=$before_group
    while [ -z "$found" ]; do
      list_since "$from"
      ! look_at $list || break
      tries=$((tries + 1))
      [ "$tries" -lt 50 ] || { unsure=yes; break; }
    done
    unsure=$unsure$blind
  else
    for file in /proc/[0-9]*/environ $headless; do
      ! carries "${file%/environ}" || found="$found $file"
    done
  fi
  for file in $found; do
    pid=${file#/proc/}
    pid=${pid%%/*}
    case " $members $others " in *" $pid "*) ;; *) others="$others $pid" ;; esac
  done
}

# One stop after the other: they would see each other's starts. Who comes too late to wait for its
# turn does not spoil the looks of others by many of its own.
patience=5
take_turn() {
  late=0
  if [ -n "$can_queue" ]; then flock -w "$patience" 9 2>/dev/null || late=47 patience=1; fi
}

end_turn() { if [ -n "$can_queue" ]; then flock -u 9 2>/dev/null; fi; }

look_at_group() {
  leader= members= zombies= headless= no_list=yes
  read_newest
  before_group=$newest
  set -- $(cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$group" '
    { pid = $1; sub(/^.*\) /, ""); dead = $1 ~ /[ZX]/ }
    dead && $18 > 1 { print "headless", pid }
    group < 2 { next }
    pid == group { print "leader", $20 }
    $3 == group { print dead && $18 < 2 ? "zombie" : "member", pid }
    END { print NR ? "all" : "none", "read" }')
  while [ $# -gt 1 ]; do
    case $1 in
      leader) leader=$2@$boot ;;
      all) no_list= ;;
      none) ;;
      headless) headless="$headless /proc/$2/task/[0-9]*/environ" ;;
      zombie) zombies="$zombies $2" ;;
      *) members="$members $2" ;;
    esac
    shift 2
  done
}

short_sleep() { sleep 0.1 2>/dev/null || sleep 1; }

is_none() { case $1 in *[Nn]"o such process"*) ;; *) return 1 ;; esac; }

can_ask=
! is_none "$(kill -0 -99999999 2>&1)" || can_ask=yes

group_exists() {
  [ "$group" -gt 1 ] && [ -n "$can_ask" ] || return 1
  said=$(kill -0 "-$group" 2>&1) || ! is_none "$said"
}

some_member_carries() {
  for pid in $members; do
    ! carries "/proc/$pid" || return 0
  done
  return 1
}

leader_is_ours() { [ -n "$birth" ] && [ "$leader" = "$birth" ]; }

not_ours() { group=0 members=; }

# Those of a dead group only become fewer, as they are reaped.
no_new_zombies() {
  for pid in $zombies; do
    case " $before " in *" $pid "*) ;; *) return 1 ;; esac
  done
  [ -n "$zombies" ]
}

# Fails while it cannot be told.
tell_whose() {
  if [ -n "$members" ]; then
    ! leader_is_ours || return 0
    if [ -z "$leader" ] || [ -z "$birth" ]; then
      ! some_member_carries || return 0
      [ -n "$leader" ] || return 1
    fi
    not_ours
  elif ! group_exists; then
    not_ours
  elif [ -n "$leader" ] && [ -n "$birth" ] && ! leader_is_ours; then
    not_ours
  elif no_new_zombies; then
    same=$((same + 1))
    [ "$same" -ge 3 ] || return 1
    leader_is_ours || not_ours
  else
    same=0
    return 1
  fi
}

settle_group() {
  hidden= unclear= zombies= same=0
  case $birth in
    "" | *@"$boot") ;;
    *) group=0 ;;
  esac
  for look in 1 2 3 4 5 6; do
    before=$zombies
    look_at_group
    ! tell_whose || return 0
    short_sleep
  done
  if [ -n "$members" ]; then
    unclear=$members
  elif leader_is_ours; then
    hidden=yes
    return 0
  else
    unclear=" none of them shows"
  fi
  not_ours
}

find_ours() {
  others= unsure=
  if [ -n "$waiting" ]; then
    look_at_group
    [ -z "$members" ] || return 0
  fi
  take_turn
  look_at_group
  [ -n "$members" ] || group_exists || group=0
  look_elsewhere "$late"
  end_turn
  [ -z "$no_list" ] && [ -n "$can_search" ] || unsure=yes
}

waiting=
settle_group
)sh";

constexpr std::string_view stop_ours = R"sh(
look_at_clock() {
  read -r up rest </proc/uptime
  now=${up%.*}${up#*.}
}

signal_ours() {
  if [ "$group" -gt 1 ]; then kill "-$1" "-$group"; fi
  for pid in $others; do kill "-$1" "$pid"; done
}

# Not even one that is just being started escapes a kill of the whole group, and none of it can
# start another; so who lives yet shows then. Fails when nobody there may be killed.
none_after_kill() {
  kill -KILL "-$group" 2>/dev/null || ! group_exists || return 1
  look_at_group
  [ -z "$members$no_list" ]
}

done_if_none() {
  find_ours
  if [ -n "$members$others$unsure" ]; then
    unseen=0 none=0
    return 0
  fi
  if [ "$group" -gt 1 ]; then
    unseen=$((unseen + 1))
    [ "$unseen" -gt 3 ] && none_after_kill || return 0
  fi
  none=$((none + 1))
  [ "$none" -ge "$needed" ] || return 0
  if [ -n "$unclear" ]; then
    echo "left alone, as they may be strangers in process group $2:$unclear" >&2
    exit 1
  fi
  echo "pypto-router: stopped"
  exit 0
}

unseen=0 none=0 needed=2
[ -n "$reads_whole_lists" ] || needed=5
done_if_none "$@"
signal_ours TERM 2>/dev/null
waiting=yes
look_at_clock
end=$((now + $4))
while [ "$now" -lt "$end" ]; do
  short_sleep
  done_if_none "$@"
  look_at_clock
done
waiting=
end=$((now + 500)) kills=0
while errors=$(signal_ours KILL 2>&1); [ "$now" -lt "$end" ] || [ "$kills" -lt "$needed" ]; do
  short_sleep
  done_if_none "$@"
  look_at_clock
  kills=$((kills + 1))
done
if [ -n "$errors" ]; then echo "$errors" >&2; fi
seen=$members$others
[ -n "$seen$unsure" ] || [ "$group" -lt 2 ] || seen=" process group $group"
if [ -n "$seen" ]; then
  echo "still there after SIGKILL:$seen" >&2
else
  echo "too many processes are or start here, or too few tools, to tell whether one of it is left" >&2
fi
exit 1
)sh";

constexpr std::string_view tell_state = R"sh(
for look in 1 2 3 4 5 6 7 8 9 10; do
  [ -z "$members" ] || break
  find_ours
  [ -z "$others" ] || break
  [ -n "$unsure" ] || [ "$look" -eq 1 ] || break
  short_sleep
done
if [ -n "$members$others$unsure$unclear$hidden" ]; then echo "pypto-router: alive"; fi
if read -r whose status 2>/dev/null <"$4.exit" && [ "$whose" = "$instance" ]; then
  echo "pypto-router: exited $status"
fi
shift 3
)sh";

constexpr std::string_view tell_log = R"sh(
begin_log() { echo "pypto-router: log"; }
[ -e "$1" ] || { begin_log; echo "there is none yet: $1" >&2; exit 1; }
size=$(wc -c <"$1") || { begin_log; exit 1; }
echo "pypto-router: size $((size))"
begin=$2
[ "$begin" -le "$size" ] || begin=0
length=$((size - begin))
[ "$length" -le "$3" ] || { length=$3; echo "pypto-router: cut"; }
begin_log
tail -c +$((size - length + 1)) <"$1" | head -c "$length"
)sh";

}  // namespace

const std::string_view launch = R"sh(
echo "pypto-router: begun" || exit 1
log=$1
shift
directory=${log%/*}
mkdir -p -- "${directory:-/}" && : >>"$log" && rm -f -- "$log.exit" || exit 1
size=$(wc -c <"$log")
unset PYPTO_ROUTER_ADMIN_TOKEN
if setsid --fork true 2>/dev/null; then
  started=$(setsid --fork "$@")
else
  started=$(setsid "$@" &)
fi
[ -n "$started" ] || exit 1
echo "pypto-router: started $started $((size))"
)sh";

// The checks come first because only then somebody hears of them. The trap lets it outlive a polite
// stop of the group, to note the end. The command runs in a subshell, where the trap is undone.
const std::string_view monitor = R"sh(
log=$1 instance=$2 workdir=$3
shift 3
enter() { [ -z "$workdir" ] || CDPATH= cd -- "$workdir"; }
can_run() { command -v "$1" >/dev/null || { echo "$1: not found" >&2; return 1; }; }
(enter && can_run "$1") || exit 127
start() { shift 19; echo "$1"; }
read -r stat </proc/$$/stat
read -r boot </proc/sys/kernel/random/boot_id
echo "$$ $(start ${stat##*) })@$boot"
exec </dev/null >>"$log" 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
trap : HUP INT TERM
(enter && exec "$@")
echo "$instance $?" >"$log.exit"
)sh";

std::string stop() {
  return std::string(find) += stop_ours;
}

std::string inspect() {
  return (std::string(find) += tell_state) += tell_log;
}

std::string read_log() {
  return std::string(tell_log);
}

}  // namespace fleet::scripts
