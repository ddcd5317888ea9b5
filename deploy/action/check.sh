#!/usr/bin/env bash
# The check of the action: all of its parts run, and it fails when one of them does.
set -u
PATH="$GITHUB_ACTION_PATH/../../node_modules/.bin:$PATH"

if [ "$COMMAND" != check ]; then
  echo "error: the input \`command\` is check or release, found $COMMAND" >&2
  exit 2
fi
case $ANALYZE in
  true | false) ;;
  *)
    echo "error: the input \`analyze\` is true or false, found $ANALYZE" >&2
    exit 2
    ;;
esac
if [ -n "$RULES_DIR" ]; then
  paths=("$RULES_DIR")
  checked=(--rules-dir "$RULES_DIR")
else
  read -r -a paths <<<"$RULE_PATHS"
  if [ "${#paths[@]}" -eq 0 ]; then
    echo "error: the input \`paths\` is empty" >&2
    exit 2
  fi
  checked=(-- "${paths[@]}")
fi

code=0
if [ -n "$SARIF" ]; then engine check --format sarif --output "$SARIF" "${checked[@]}" || code=$?; fi
engine check "${checked[@]}" || code=$?
if [ "$ANALYZE" = true ]; then engine analyze -- "${paths[@]}" || code=$?; fi
exit "$code"
