#!/bin/sh
# A lantern that lights about every second time, to see retries at work. Each attempt has a request id of its own;
# its checksum decides. Input {"fails": true} or {"fails": false} decides instead.

line=$(tr -d ' \t\r\n')

case $line in
  *'"fails":true'*) fails=1 ;;
  *'"fails":false'*) fails=0 ;;
  *)
    checksum=$(printf %s "$NARRATORIA_REQUEST_ID" | cksum)
    fails=$((${checksum%% *} / 16 % 2))
    ;;
esac

echo '{"version":"0","type":"log","level":"info","message":"Striking a match..."}'
if [ "$fails" -eq 1 ]; then
  echo '{"version":"0","type":"error","errorCode":"WICK_SPUTTERED","errorMessage":"The wick sputters out."}'
  echo '{"version":"0","type":"done","ok":false,"summary":"The wick sputters out."}'
else
  echo '{"version":"0","type":"state_patch","patch":{"lantern":{"lit":true}}}'
  echo '{"version":"0","type":"done","ok":true,"summary":"The lantern burns."}'
fi
