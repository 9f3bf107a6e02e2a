# SPDX-License-Identifier: MIT
# Starting, checking and stopping the replicas and the proxies of tools/bench/run, which sources
# this. Everything runs in the foreground of a job of ours, on free loopback ports, with its
# configuration in $dir.
# shellcheck shell=bash disable=SC2154

haproxy=$(PATH=$PATH:/usr/sbin command -v haproxy || echo /usr/sbin/haproxy)
nginx=$(PATH=$PATH:/usr/sbin command -v nginx || echo /usr/sbin/nginx)
declare -A pid=() port=()
replica_ports=()
next_port=$((20000 + RANDOM % 10000))

# Puts a free port into $free_port.
find_port() {
  while (: <"/dev/tcp/127.0.0.1/$next_port") 2>/dev/null; do
    next_port=$((next_port + 1))
  done
  free_port=$next_port
  next_port=$((next_port + 1))
}

# launch NAME CORES COMMAND...: in the background, remembered in pid[NAME].
launch() {
  local name=$1 cores=$2
  shift 2
  taskset -c "$cores" "$@" >"$dir/$name.log" 2>&1 </dev/null &
  pid[$name]=$!
}

stop_all() {
  local name
  for name in "${!pid[@]}"; do
    kill "${pid[$name]}" 2>/dev/null || true
    wait "${pid[$name]}" 2>/dev/null || true
    unset "pid[$name]"
  done
}

# The process of a contender and its children, one per line.
processes() {
  [[ ${pid[$1]:-} ]] || return 0
  echo "${pid[$1]}"
  cat "/proc/${pid[$1]}/task/${pid[$1]}/children" 2>/dev/null | tr ' ' '\n' | sed '/^$/d'
}

# User and system time of a contender so far, in microseconds.
cpu_us() {
  local tick p
  tick=$((1000000 / $(getconf CLK_TCK)))
  for p in $(processes "$1"); do
    sed 's/.*) //' "/proc/$p/stat"
  done | awk -v tick="$tick" '{sum += $12 + $13} END {printf "%d", sum * tick}'
}

# The highest resident memory of a contender, in KiB, shared pages counted in each process.
peak_kib() {
  local p
  for p in $(processes "$1"); do
    cat "/proc/$p/status"
  done | awk '/^VmHWM/ {sum += $2} END {print sum + 0}'
}

# The resident memory of a contender now, in KiB.
resident_kib() {
  local p
  for p in $(processes "$1"); do
    cat "/proc/$p/status"
  done | awk '/^VmRSS/ {sum += $2} END {print sum + 0}'
}

start_replicas() { # kind
  find_port && replica_ports=("$free_port")
  find_port && replica_ports+=("$free_port")
  if [[ $1 == turns ]]; then
    replica_config >"$dir/replicas.conf"
    launch replicas "$load_cores" "$nginx" -e stderr -p "$dir" -c "$dir/replicas.conf"
  else
    launch replicas "$load_cores" "$programs/bench_sse_stub" "${replica_ports[@]}"
  fi
  wait_for replicas "${replica_ports[1]}"
}

start_proxy() { # contender kind
  local name=$1-$2
  if [[ $1 == direct ]]; then
    port[direct]=${replica_ports[0]}
    return
  fi
  find_port
  port[$1]=$free_port
  case $1 in
    haproxy)
      haproxy_config >"$dir/$name.cfg"
      launch haproxy "$proxy_cores" "$haproxy" -db -f "$dir/$name.cfg"
      ;;
    nginx)
      nginx_config >"$dir/$name.conf"
      launch nginx "$proxy_cores" "$nginx" -e stderr -p "$dir" -c "$dir/$name.conf"
      ;;
    router)
      printf '{"replicas":[{"host":"127.0.0.1","port":%s},{"host":"127.0.0.1","port":%s}]}\n' \
        "${replica_ports[@]}" >"$dir/$name.json"
      launch router "$proxy_cores" "$router" --replicas "$dir/$name.json" --host 127.0.0.1 \
        --port "$free_port" --threads "$threads"
      ;;
  esac
  wait_for "$1" "$free_port"
}

wait_for() { # name port
  local try
  for ((try = 0; try < 100; ++try)); do
    kill -0 "${pid[$1]}" 2>/dev/null || break
    ! curl -fs -o /dev/null "http://127.0.0.1:$2/health" || return 0
    sleep 0.1
  done
  cat "$dir/$1.log" >&2
  fail "$1 does not answer on port $2"
}

# A conversation has to stay on its replica, or the comparison is of different work.
check_proxy() { # contender
  [[ $1 != direct ]] || return 0
  local id try seen
  for id in a b c d e f; do
    seen=$(for try in 1 2 3 4; do
      curl -fsS -o /dev/null -D - -H "X-Session-Id: check-$id" -H 'X-Events: 1' -d '{}' \
        "http://127.0.0.1:${port[$1]}/v1/chat/completions" | tr -d '\r' |
        sed -n 's/^x-served-by: //Ip'
    done | sort | uniq -c | sed 's/^ *//')
    [[ $seen == "4 "* ]] || fail "$1 does not keep a conversation on one replica: $seen"
  done
}

replica_config() {
  cat <<TEXT
worker_processes 1;
daemon off;
pid $dir/replicas.pid;
events { worker_connections 4096; }
http {
  access_log off;
  default_type application/json;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_body_temp_path $dir/replicas.body;
  client_max_body_size 0;
$(for p in "${replica_ports[@]}"; do
    cat <<SERVER
  server {
    listen 127.0.0.1:$p;
    add_header X-Served-By $p;
    location = /health { return 200 '{"status":"ok"}'; }
    location / { return 200 '$(completion)'; }
  }
SERVER
  done)
}
TEXT
}

completion() {
  printf '{"id":"chatcmpl-0123456789abcdef","object":"chat.completion","created":1700000000,'
  printf '"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":'
  printf '"The answer is forty-two."},"finish_reason":"stop"}],"usage":{"prompt_tokens":231,'
  printf '"completion_tokens":7,"total_tokens":238}}'
}

haproxy_config() {
  cat <<TEXT
global
  nbthread $threads
  maxconn $((streams + 50))
defaults
  mode http
  http-reuse always
  option http-no-delay
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  timeout http-keep-alive 1h
frontend bench
  bind 127.0.0.1:$free_port
  default_backend replicas
backend replicas
  balance leastconn
  stick-table type string len 128 size 100k expire 600s
  stick on req.hdr(X-Session-Id)
  option httpchk GET /health
  default-server check inter 5s
  server r1 127.0.0.1:${replica_ports[0]}
  server r2 127.0.0.1:${replica_ports[1]}
TEXT
}

nginx_config() {
  cat <<TEXT
worker_processes $threads;
daemon off;
pid $dir/nginx.pid;
events { worker_connections 21000; }
http {
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_body_temp_path $dir/nginx.body;
  client_max_body_size 0;
  client_body_buffer_size 2m;
  proxy_temp_path $dir/nginx.proxy;
  upstream replicas {
    hash \$http_x_session_id;
    server 127.0.0.1:${replica_ports[0]};
    server 127.0.0.1:${replica_ports[1]};
    keepalive 256;
    keepalive_requests 1000000000;
    keepalive_time 24h;
  }
  server {
    listen 127.0.0.1:$free_port reuseport;
    location / {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
TEXT
}
