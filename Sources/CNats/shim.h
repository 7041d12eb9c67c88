// The C client of NATS for Swift.
#include <nats/nats.h>
