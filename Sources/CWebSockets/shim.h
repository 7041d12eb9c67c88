// libwebsockets and libuv for Swift. Only contains what Swift cannot call, with the reason, and no
// logic.
#include <libwebsockets.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <uv.h>

// Macros over other macros are not imported into Swift.
static const size_t CLWS_PRE = LWS_PRE;
static const long CLWS_TLS_OPTIONS =
    SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION;

// lws_write() takes an enum that may carry flags. Swift imports the enum as a separate type, so
// each value has a function.
static inline int clws_write_text(struct lws *wsi, unsigned char *bytes, size_t count) {
  return lws_write(wsi, bytes, count, LWS_WRITE_TEXT);
}
static inline int clws_write_http_head(struct lws *wsi, unsigned char *bytes, size_t count) {
  return lws_write(wsi, bytes, count, LWS_WRITE_HTTP_HEADERS);
}
static inline int clws_write_http_body(struct lws *wsi, unsigned char *bytes, size_t count) {
  return lws_write(wsi, bytes, count, LWS_WRITE_HTTP);
}

// On a WebSocket this sends raw bytes, which must be a complete frame.
static inline int clws_write_frame(struct lws *wsi, unsigned char *bytes, size_t count) {
  return lws_write(wsi, bytes, count, LWS_WRITE_HTTP);
}

// The start of the kernel's `tcp_info`, up to `bytes_received`. glibc's struct ends before these
// members, and the kernel's header conflicts with glibc's.
struct clws_tcp_info {
  struct tcp_info first;
  uint64_t pacing_rate, max_pacing_rate, bytes_acked, bytes_received;
};
_Static_assert(offsetof(struct clws_tcp_info, bytes_acked) == 120, "where linux/tcp.h has tcpi_bytes_acked");
_Static_assert(offsetof(struct clws_tcp_info, bytes_received) == 128, "where linux/tcp.h has tcpi_bytes_received");

// Reads the kernel's information about a connection. Returns 0 if the connection is not TCP.
static inline int clws_read_tcp_info(struct lws *wsi, struct clws_tcp_info *info) {
  socklen_t length = sizeof *info;
  return getsockopt(lws_get_socket_fd(wsi), IPPROTO_TCP, TCP_INFO, info, &length) == 0 && length >= sizeof *info;
}

// Returns the bytes of a connection that TCP has acknowledged while others are in flight. Returns
// -1 if nothing is in flight or the connection is not TCP. In C because `ioctl` is variadic.
static inline int64_t clws_arrived(struct lws *wsi) {
  int waiting = 0;
  struct clws_tcp_info info = {0};
  if (ioctl(lws_get_socket_fd(wsi), SIOCOUTQ, &waiting) != 0 || waiting <= 0) return -1;
  return clws_read_tcp_info(wsi, &info) ? (int64_t)info.bytes_acked : -1;
}

// Returns the bytes that a connection has received so far, or -1 if it is not TCP.
static inline int64_t clws_received(struct lws *wsi) {
  struct clws_tcp_info info = {0};
  return clws_read_tcp_info(wsi, &info) ? (int64_t)info.bytes_received : -1;
}
