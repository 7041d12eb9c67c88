// Control over descriptor numbers, by overriding a libc function.

#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

// Replaces the C library's function for the whole process: returns a descriptor number far above
// those of other calls.
//
// libwebsockets 4.1.6 on a foreign event loop closes its wake-up descriptor twice when a context
// ends: first with the context, then after the loop has closed its handle. In between, another
// thread may open a descriptor of the same number, which the second close then closes. The kernel
// assigns the lowest free number, so high numbers avoid the collision. (Without this, 7 of 20 runs
// of the tests of server shutdown failed.)
// [any thread]
int eventfd(unsigned count, int flags);

#endif
