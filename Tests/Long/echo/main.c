// An echo server for the Autobahn test suite. It uses libwebsockets as the server does: on a libuv
// loop, without extensions, with UTF-8 validation. It prints `READY PORT`.
#define _GNU_SOURCE
#include <libwebsockets.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

// The message being received or sent. The next one is not read until this one has been sent.
struct session {
  unsigned char *bytes;
  size_t length, capacity;
  bool is_binary, is_whole;
};

static int receive(struct lws *wsi, struct session *session, const void *bytes, size_t count) {
  if (LWS_PRE + session->length + count > session->capacity) {
    session->capacity = 2 * (LWS_PRE + session->length + count);
    session->bytes = realloc(session->bytes, session->capacity);
    if (!session->bytes) return -1;
  }
  memcpy(session->bytes + LWS_PRE + session->length, bytes, count);
  session->length += count;
  session->is_binary = lws_frame_is_binary(wsi);
  if (lws_remaining_packet_payload(wsi) || !lws_is_final_fragment(wsi)) return 0;
  session->is_whole = true;
  lws_rx_flow_control(wsi, 0);
  return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

static int send(struct lws *wsi, struct session *session) {
  if (!session->is_whole) return 0;
  session->is_whole = false;
  size_t length = session->length;
  session->length = 0;
  if (lws_write(wsi, session->bytes + LWS_PRE, length, session->is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) < 0) return -1;
  lws_rx_flow_control(wsi, 1);
  return 0;
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
  switch (reason) {
    case LWS_CALLBACK_RECEIVE: return receive(wsi, user, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE: return send(wsi, user);
    case LWS_CALLBACK_CLOSED: free(((struct session *)user)->bytes); return 0;
    default: return 0;
  }
}

static const struct lws_protocols protocols[] = {{.name = "echo", .callback = callback, .per_session_data_size = sizeof(struct session)}, {0}};

int main(void) {
  uv_loop_t loop;
  uv_loop_init(&loop);
  void *loops[] = {&loop};
  lws_set_log_level(LLL_ERR, NULL);
  struct lws_context_creation_info info = {0};
  info.iface = "127.0.0.1";
  info.protocols = protocols;
  info.foreign_loops = loops;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_VALIDATE_UTF8;
  info.gid = info.uid = -1;
  struct lws_context *context = lws_create_context(&info);
  struct lws_vhost *vhost = context ? lws_create_vhost(context, &info) : NULL;
  if (!vhost) return 1;
  printf("READY %d\n", lws_get_vhost_listen_port(vhost));
  fflush(stdout);
  return uv_run(&loop, UV_RUN_DEFAULT);
}
