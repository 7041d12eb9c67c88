#!/bin/sh
# Tells three rows, two of which cannot be taken, and one line that is not JSON.
echo '{"type":"hello","version":1}'
echo '{"type":"schema","name":"skipping","key":"integer","columns":[{"name":"name","type":"text"},{"name":"done","type":"number"}]}'
echo '{"type":"reload"}'
echo '{"type":"upsert","key":1,"row":{"name":"build","done":40}}'
echo '{"type":"upsert","key":2,"row":{"name":"<b>test</b>","done":"40 %"}}'
echo '{"type":"upsert","key":3,"row":{"name":"deploy","done":"none"}}'
echo 'Loading jobs...'
echo '{"type":"commit"}'
while read -r line; do :; done
