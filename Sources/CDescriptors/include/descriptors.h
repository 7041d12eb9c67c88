// Which numbers descriptors get: what Swift cannot say.

#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

// The C library's function of this name, for this process and all libraries in it: the descriptor's number is far above those that others get.
//
// libwebsockets 4.1.6, on a loop that is not its own, closes the descriptor by which it wakes itself twice when a context ends: with the context, and again
// when the loop has closed its handle. In between the number is free, and what another thread opens under it is closed under it: seven of twenty runs of the tests of
// a server's end failed by that. The kernel gives the lowest number that is free: one far above is nobody's but those who ask for it.
// [any thread]
int eventfd(unsigned count, int flags);

#endif
