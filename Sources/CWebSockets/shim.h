// libwebsockets and libuv as Swift sees them. Only what Swift cannot call stands here, each line with its reason, and no decisions.
#include <libwebsockets.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <uv.h>

// A macro over other macros: not imported.
static const size_t CLWS_PRE = LWS_PRE;
static const long CLWS_TLS_OPTIONS =
    SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION;

// lws_write() takes an enum that may carry flags; Swift imports it as a type of its own per declaration, so the values are named here.
static inline int clws_write_text(struct lws *wsi, unsigned char *bytes, size_t count) {
  return lws_write(wsi, bytes, count, LWS_WRITE_TEXT);
}
static inline int clws_write_http_head(struct lws *wsi, unsigned char *bytes, size_t count) {
  return lws_write(wsi, bytes, count, LWS_WRITE_HTTP_HEADERS);
}
static inline int clws_write_http_body(struct lws *wsi, unsigned char *bytes, size_t count) {
  return lws_write(wsi, bytes, count, LWS_WRITE_HTTP);
}

// On a WebSocket this sends bytes as they are: a frame that was put together by us.
static inline int clws_write_frame(struct lws *wsi, unsigned char *bytes, size_t count) {
  return lws_write(wsi, bytes, count, LWS_WRITE_HTTP);
}
