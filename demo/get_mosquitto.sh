#!/usr/bin/env bash
# Make mosquitto available without touching the system: what is on PATH, or a Debian package unpacked into .tools/.
set -eu
cd "$(dirname "$0")/.."
into=.tools/mosquitto
if command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ] || [ -x "$into/usr/sbin/mosquitto" ]; then exit 0; fi
echo "Getting mosquitto into $into ..."
rm -rf "$into.part" && mkdir -p "$into.part/packages"
if ! (
  cd "$into.part/packages"
  needed="mosquitto libmosquitto1 libcjson1 libdlt2 libwrap0 libwebsockets17 libuv1 libsystemd0 libcap2"
  for package in $needed; do apt-get download "$package" >/dev/null 2>&1 || [ "$package" != mosquitto ]; done
  for file in *.deb; do dpkg -x "$file" ..; done
) 2>/dev/null; then
  rm -rf "$into.part"
  echo "mosquitto is not installed and its Debian package cannot be downloaded; install it (apt-get install mosquitto)." >&2
  exit 1
fi
mv "$into.part" "$into"
