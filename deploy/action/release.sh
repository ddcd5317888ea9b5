#!/usr/bin/env bash
# The release of the action: shows what would change, makes the release, waits for its approvals, executes and follows it.
set -euo pipefail
PATH="$GITHUB_ACTION_PATH/../../node_modules/.bin:$PATH"

for name in RULESETS ENVIRONMENTS TITLE ENGINE_PLATFORM_URL ENGINE_PROJECT ENGINE_API_KEY; do
  if [ -z "${!name}" ]; then
    echo "error: a release needs the inputs \`rulesets\`, \`environments\`, \`title\`, \`api-url\`, \`project\` and \`api-key\`: $name is empty" >&2
    exit 2
  fi
done
# As words: names have no blanks.
read -r -a rulesets <<<"$RULESETS"
read -r -a environments <<<"$ENVIRONMENTS"
what=()
for ruleset in "${rulesets[@]}"; do what+=("--ruleset=$ruleset"); done
for environment in "${environments[@]}"; do what+=("--environment=$environment"); done

engine release preview "${what[@]}"
made=$(engine release create "${what[@]}" "--title=$TITLE" "--description=$DESCRIPTION")
echo "$made"
id=$(tail -n 1 <<<"$made")
engine release execute "$id" "--wait=$WAIT_MINUTES"
engine release watch "$id" "--timeout=$TIMEOUT_MINUTES"
