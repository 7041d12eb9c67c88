// The throughput of libwebsockets alone: sends a shared frame to all clients, and the next one when
// every client has it. It is the upper bound for `rowcast-bench w4`, in the same run, on the same
// event loop (libuv), with the same clients.
//
//   lws-fanout VIEWERS BYTES SECONDS WHOLE
//
// WHOLE: write a frame in one call like Rowcast, otherwise 4 KiB at a time like libwebsockets. The
// program prints READY PORT and starts after reading GO. At the end it prints the number of frames
// and their cost.
#define _GNU_SOURCE
#include <libwebsockets.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

static int viewers, present, waiting;
static size_t length;
static unsigned char *frame;
static struct lws **all;
static bool running;
static uint64_t sent;
static double end_time;
static uv_loop_t loop;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void round_begins(void) {
  waiting = viewers;
  for (int i = 0; i < viewers; i++) lws_callback_on_writable(all[i]);
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
  (void)user, (void)in, (void)size;
  switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
      all[present++] = wsi;
      return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
      if (!running || waiting == 0) return 0;
      if (lws_write(wsi, frame + LWS_PRE, length, LWS_WRITE_TEXT) < (int)length) return -1;
      sent++;
      if (--waiting > 0) return 0;
      if (now(CLOCK_MONOTONIC) >= end_time) {
        running = false;
        uv_stop(&loop);
      } else {
        round_begins();
      }
      return 0;
    default: return 0;
  }
}

static struct lws_protocols protocols[] = {{.name = "rowcast.v1", .callback = callback}, {0}};

int main(int count, char **words) {
  if (count != 5) return 2;
  viewers = atoi(words[1]);
  length = (size_t)atol(words[2]);
  double seconds = atof(words[3]);
  if (atoi(words[4])) protocols[0].tx_packet_size = 1 << 20;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
  setrlimit(RLIMIT_NOFILE, &limit);
  all = calloc((size_t)viewers, sizeof *all);
  frame = malloc(LWS_PRE + length);
  memset(frame + LWS_PRE, 'x', length);
  lws_set_log_level(LLL_ERR, NULL);
  uv_loop_init(&loop);
  void *loops[] = {&loop};
  struct lws_context_creation_info info = {0};
  info.port = 0;
  info.iface = "127.0.0.1";
  info.protocols = protocols;
  info.foreign_loops = loops;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
  info.gid = -1;
  info.uid = -1;
  struct lws_context *context = lws_create_context(&info);
  struct lws_vhost *vhost = context ? lws_create_vhost(context, &info) : NULL;
  if (!vhost) return 1;
  printf("READY %d\n", lws_get_vhost_listen_port(vhost));
  fflush(stdout);
  while (present < viewers) uv_run(&loop, UV_RUN_ONCE);
  char line[16];
  if (!fgets(line, sizeof line, stdin)) return 1;
  double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  end_time = start + seconds;
  running = true;
  round_begins();
  uv_run(&loop, UV_RUN_DEFAULT);
  double took = now(CLOCK_MONOTONIC) - start;
  cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  printf("{\"seconds\":%.3f,\"cpuSeconds\":%.3f,\"frames\":%llu}\n", took, cpu, (unsigned long long)sent);
  fflush(stdout);
  // Clients disconnect first. After that nothing needs cleaning up.
  if (!fgets(line, sizeof line, stdin)) return 0;
  _exit(0);
}
