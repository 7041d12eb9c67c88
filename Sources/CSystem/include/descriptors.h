// Control over descriptor numbers, by overriding a libc function.

#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

// Replaces the C library's function for the whole process: returns a descriptor number far above
// those of other calls, and does not return a number again until thousands of calls later.
//
// libwebsockets 4.1.6 on a foreign event loop closes its wake-up descriptor twice when a context
// ends: first with the context, then after the loop has closed its handle. In between, another
// thread may open a descriptor of the same number, which the second close then closes. The kernel
// assigns the lowest free number, so high numbers avoid a collision with other descriptors, and
// changing numbers avoid one with the wake-up descriptor of another server in the process. libuv
// ends the process when a descriptor that it waits for has been closed.
// [any thread]
int eventfd(unsigned count, int flags);

#endif
