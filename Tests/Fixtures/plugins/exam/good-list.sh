#!/bin/sh
# breaks: nothing
# A list that is complete; its last line lacks its end, which a host takes as well.
echo '{"id":1,"name":"build"}'
printf '{"id":2,"name":"test"}'
