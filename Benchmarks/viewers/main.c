// Many viewers of the table `quotes` in one process: WebSocket clients on one epoll, which are
// cheap compared with the server.
//
//   viewers PORT VIEWERS INTERVAL SAME FIXED FILE
//
// INTERVAL: milliseconds, or -1 for the server's default. SAME: 1 if all viewers show viewer 0's
// window; 2 if frames of any kind are read and dropped, and acknowledged if FIXED. FIXED: a viewer
// whose viewport moves with its scroll anchor scrolls back at once.
//
// The program prints READY when every viewer has a window. It starts measuring after reading MARK
// and stops after STOP. FILE receives the samples (viewer, time stored in the row, arrival time)
// and each viewer's window.
#define _GNU_SOURCE
#include "message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { VISIBLE = 60, REMEMBERED = 32, BUFFER = 1 << 20, WAVE = 256 };

struct viewer {
  int socket;
  bool is_open, has_window;
  char *pending;
  size_t length, capacity;
  struct window window;
  int64_t offset;
  int64_t known[REMEMBERED];
  int next_known;
};

struct sample {
  int64_t viewer, milliseconds, nanoseconds;
};

static int viewers, port, interval, same, fixed_place;
static struct viewer *all;
static int watch, ready, connected;
static struct sample *samples;
static size_t sample_count, sample_capacity;
static uint64_t bytes, messages, patches, misfits;
static int64_t now, last_message;
static int current;

static int64_t clock_now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "viewers: %s: %s\n", what, strerror(errno));
  exit(1);
}

// MARK: Sending

static void put(struct viewer *viewer, const char *bytes, size_t length) {
  // Messages are small, and sent only after the server has read the previous one.
  if (send(viewer->socket, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) fail("a viewer cannot send");
}

static void say(struct viewer *viewer, const char *text) {
  static const unsigned char mask[] = {0x12, 0x34, 0x56, 0x78};
  size_t length = strlen(text), head = length < 126 ? 6 : 8;
  char frame[1024];
  frame[0] = (char)0x81;
  frame[1] = (char)(0x80 | (length < 126 ? length : 126));
  frame[2] = (char)(length >> 8);
  frame[3] = (char)length;
  memcpy(frame + head - 4, mask, 4);
  for (size_t i = 0; i < length; i++) frame[head + i] = (char)(text[i] ^ mask[i & 3]);
  put(viewer, frame, head + length);
}

static void ask(struct viewer *viewer, int number) {
  int j = number / 4;
  char query[256], pace[64] = "", open[768];
  switch (number % 4) {
    case 0: snprintf(query, sizeof query, "\"sort\":[{\"column\":\"ts\",\"descending\":true}]"); break;
    case 1: snprintf(query, sizeof query, "\"sort\":[{\"column\":\"price\",\"descending\":true}]"); break;
    case 2: snprintf(query, sizeof query, "\"sort\":[{\"column\":\"symbol\"}]"); break;
    default:
      snprintf(query, sizeof query,
               "\"filter\":{\"column\":\"sector\",\"op\":\"=\",\"value\":\"Sector-%02d\"},"
               "\"sort\":[{\"column\":\"size\",\"descending\":true}]", j % 20);
  }
  viewer->offset = (number % 4 == 1 || number % 4 == 2 ? 100 : 10) * (int64_t)j;
  if (interval >= 0) snprintf(pace, sizeof pace, ",\"interval\":%d", interval);
  snprintf(open, sizeof open,
           "{\"type\":\"open\",\"table\":\"quotes\",\"request\":1,\"query\":{%s},"
           "\"viewport\":{\"first\":%lld,\"count\":%d,\"ahead\":0,\"behind\":0%s}%s}",
           query, (long long)viewer->offset, VISIBLE, viewer->offset == 0 ? ",\"stick\":\"top\"" : "", pace);
  say(viewer, open);
}

static void acknowledge(struct viewer *viewer) {
  char text[128];
  if (fixed_place && viewer->window.shift != 0) {
    snprintf(text, sizeof text, "{\"type\":\"viewport\",\"seq\":%llu,\"first\":%lld,\"count\":%d,\"ahead\":0,\"behind\":0}",
             (unsigned long long)viewer->window.sequence, (long long)viewer->offset, VISIBLE);
    say(viewer, text);
  }
  snprintf(text, sizeof text, "{\"type\":\"ack\",\"seq\":%llu}", (unsigned long long)viewer->window.sequence);
  say(viewer, text);
}

// MARK: Receiving

static void saw(void *context, int64_t milliseconds) {
  struct viewer *viewer = context;
  for (int i = 0; i < REMEMBERED; i++) {
    if (viewer->known[i] == milliseconds) return;
  }
  viewer->known[viewer->next_known] = milliseconds;
  viewer->next_known = (viewer->next_known + 1) % REMEMBERED;
  if (sample_count == sample_capacity) {
    sample_capacity = sample_capacity ? sample_capacity * 2 : 1 << 16;
    samples = realloc(samples, sizeof *samples * sample_capacity);
  }
  // The arrival time is set after the whole message is applied.
  samples[sample_count++] = (struct sample){viewer - all, milliseconds, 0};
}

static void hear(struct viewer *viewer, const char *text, size_t length) {
  enum kind kind;
  size_t first = sample_count;
  messages++;
  if (same == 2) {
    patches++;
    if (!viewer->has_window) ready++;
    viewer->has_window = true;
    if (fixed_place) say(viewer, "{\"type\":\"ack\",\"seq\":1000000}");
    return;
  }
  if (!apply(&viewer->window, text, length, &kind, saw, viewer)) {
    if (misfits++ == 0) {
      fprintf(stderr, "viewers: viewer %ld: a message does not fit: %.*s\n",
              (long)(viewer - all), (int)(length < 400 ? length : 400), text);
    }
    return;
  }
  if (kind == HELLO) ask(viewer, same ? 0 : current);
  if (kind != WINDOW && kind != PATCH) return;
  patches++;
  now = last_message = clock_now(CLOCK_MONOTONIC);
  for (size_t i = first; i < sample_count; i++) samples[i].nanoseconds = now;
  if (!viewer->has_window) ready++;
  viewer->has_window = true;
  acknowledge(viewer);
}

// Processes the complete frames of the received bytes and returns their length.
static size_t frames(struct viewer *viewer, char *start, size_t length) {
  size_t used = 0;
  if (!viewer->is_open) {
    char *end = memmem(start, length, "\r\n\r\n", 4);
    if (!end) return 0;
    if (memcmp(start, "HTTP/1.1 101", 12) != 0) fail("an upgrade is refused");
    viewer->is_open = true;
    connected++;
    used = (size_t)(end + 4 - start);
    if (same != 2) say(viewer, "{\"type\":\"hello\",\"version\":1,\"client\":\"viewers\"}");
  }
  while (length - used >= 2) {
    unsigned char *head = (unsigned char *)start + used;
    size_t size = head[1] & 0x7F, skip = 2;
    if (size == 126) {
      if (length - used < 4) break;
      size = (size_t)head[2] << 8 | head[3];
      skip = 4;
    } else if (size == 127) {
      if (length - used < 10) break;
      size = 0;
      for (int i = 2; i < 10; i++) size = size << 8 | head[i];
      skip = 10;
    }
    if (length - used < skip + size) break;
    char *payload = start + used + skip;
    switch (head[0] & 0xF) {
      case 1: hear(viewer, payload, size); break;
      case 8: fail("the server closes a viewer"); break;
      case 9: {
        if (size > 125) fail("a ping is too long");
        // The payload is repeated, under a mask of zeros.
        char pong[6 + 125] = {(char)0x8A, (char)(0x80 | size), 0, 0, 0, 0};
        memcpy(pong + 6, payload, size);
        put(viewer, pong, 6 + size);
      }
    }
    used += skip + size;
  }
  return used;
}

static void keep(struct viewer *viewer, const char *rest, size_t length) {
  if (length > viewer->capacity) {
    viewer->capacity = length * 2;
    viewer->pending = realloc(viewer->pending, viewer->capacity);
  }
  memmove(viewer->pending, rest, length);
  viewer->length = length;
}

static void listen_to(struct viewer *viewer) {
  static char buffer[BUFFER + 1];
  while (true) {
    if (viewer->length > BUFFER / 2) fail("a message is too long");
    memcpy(buffer, viewer->pending, viewer->length);
    ssize_t count = recv(viewer->socket, buffer + viewer->length, BUFFER - viewer->length, 0);
    if (count == 0) fail("the server is gone");
    if (count < 0) {
      if (errno == EAGAIN) return;
      fail("a viewer cannot receive");
    }
    bytes += (uint64_t)count;
    size_t length = viewer->length + (size_t)count;
    buffer[length] = '\0';
    size_t used = frames(viewer, buffer, length);
    keep(viewer, buffer + used, length - used);
    if ((size_t)count < BUFFER - viewer->length) return;
  }
}

// MARK: Connections

static void meet(int number) {
  struct viewer *viewer = &all[number];
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  viewer->pending = malloc(viewer->capacity = 256);
  viewer->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (viewer->socket < 0 || connect(viewer->socket, (struct sockaddr *)&address, sizeof address) != 0) fail("a viewer cannot connect");
  int on = 1;
  setsockopt(viewer->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(viewer->socket, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)number + 1};
  epoll_ctl(watch, EPOLL_CTL_ADD, viewer->socket, &event);
  char request[512];
  int length = snprintf(request, sizeof request,
                        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        "Sec-WebSocket-Protocol: rowcast.v1\r\n\r\n", port);
  put(viewer, request, (size_t)length);
}

static void turn(int milliseconds) {
  struct epoll_event events[512];
  int count = epoll_wait(watch, events, 512, milliseconds);
  for (int i = 0; i < count; i++) {
    if (events[i].data.u32 == 0) continue;
    current = (int)events[i].data.u32 - 1;
    listen_to(&all[current]);
  }
}

static bool said(const char *word) {
  static char line[64];
  static size_t length;
  ssize_t count = read(STDIN_FILENO, line + length, sizeof line - length - 1);
  if (count == 0) fail("standard input ended before the command that ends the run");
  if (count > 0) length += (size_t)count;
  line[length] = '\0';
  char *end = strchr(line, '\n');
  if (!end) return false;
  if (strncmp(line, word, strlen(word)) != 0) fail("unknown command on standard input");
  length -= (size_t)(end + 1 - line);
  memmove(line, end + 1, length);
  return true;
}

static void write_down(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) fail(path);
  int64_t count = (int64_t)sample_count;
  fwrite(&count, sizeof count, 1, file);
  fwrite(samples, sizeof *samples, sample_count, file);
  for (int number = 0; number < viewers && same != 2; number++) {
    const struct window *window = &all[number].window;
    int64_t head[] = {number, window->start, window->total, window->count};
    fwrite(head, sizeof head, 1, file);
    for (int i = 0; i < window->count; i++) {
      fwrite(&window->rows[i].key, sizeof(int64_t), 1, file);
      fwrite(&window->rows[i].milliseconds, sizeof(int64_t), 1, file);
      fwrite(&window->rows[i].price, sizeof(double), 1, file);
    }
  }
  if (fclose(file) != 0) fail(path);
}

int main(int count, char **words) {
  if (count != 7) {
    fprintf(stderr, "usage: viewers PORT VIEWERS INTERVAL SAME FIXED FILE\n");
    return 2;
  }
  port = atoi(words[1]);
  viewers = atoi(words[2]);
  interval = atoi(words[3]);
  same = atoi(words[4]);
  fixed_place = atoi(words[5]);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  all = calloc((size_t)viewers, sizeof *all);
  watch = epoll_create1(0);
  int64_t began = clock_now(CLOCK_MONOTONIC);
  for (int number = 0; number < viewers; number++) {
    meet(number);
    while (number + 1 - connected >= WAVE) turn(1000);
  }
  // lws-fanout sends nothing before it reads GO.
  while (same == 2 ? connected < viewers : ready < viewers) turn(1000);
  printf("READY %.3f\n", (double)(clock_now(CLOCK_MONOTONIC) - began) / 1e9);
  fflush(stdout);

  fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = 0};
  epoll_ctl(watch, EPOLL_CTL_ADD, STDIN_FILENO, &event);
  while (!said("MARK")) turn(1000);
  uint64_t first_bytes = bytes, first_messages = messages, first_patches = patches;
  int64_t cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID), start = clock_now(CLOCK_MONOTONIC);
  while (!said("STOP")) turn(1000);
  double seconds = (double)(clock_now(CLOCK_MONOTONIC) - start) / 1e9;
  cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  uint64_t all_bytes = bytes - first_bytes, all_messages = messages - first_messages, all_patches = patches - first_patches;
  // The last changes are still in flight.
  if (same != 2) {
    last_message = clock_now(CLOCK_MONOTONIC);
    do turn(50); while (clock_now(CLOCK_MONOTONIC) - last_message < 1500000000LL);
  }
  write_down(words[6]);
  printf("{\"seconds\":%.3f,\"cpuSeconds\":%.3f,\"bytes\":%llu,\"messages\":%llu,\"patches\":%llu,\"misfits\":%llu}\n", seconds, (double)cpu / 1e9,
         (unsigned long long)all_bytes, (unsigned long long)all_messages, (unsigned long long)all_patches, (unsigned long long)misfits);
  return misfits == 0 ? 0 : 1;
}
