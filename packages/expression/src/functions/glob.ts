// Translates a glob to a regular expression: `*` and `?` stay within a segment between `/`; `**` crosses segments, and
// `**/` also matches the empty text; `[abc]`, `[a-z]` and `[!a]` are sets; `\` takes the next character literally.

/** The regular expression (RE2 syntax) that matches a whole text exactly when the glob does. */
export function globPattern(glob: string): string {
  let pattern = ''
  for (let at = 0; at < glob.length;) {
    const rest = glob.slice(at, at + 3)
    const set = /^\[(!?)([^\]/]+)\]/.exec(glob.slice(at, at + 200))
    if (rest === '**/') {
      pattern += '(?:.*/)?'
      at += 3
    } else if (rest.startsWith('**')) {
      pattern += '.*'
      at += 2
    } else if (set !== null) {
      pattern += `[${set[1] === '!' ? '^' : ''}${(set[2] ?? '').replaceAll(/[\\^[]/g, String.raw`\$&`)}]`
      at += set[0].length
    } else {
      const escaped = rest.startsWith('\\') && rest.length > 1
      const character = escaped ? rest.charAt(1) : rest.charAt(0)
      pattern += escaped ? literal(character) : (WILDCARDS.get(character) ?? literal(character))
      at += escaped ? 2 : 1
    }
  }
  return `(?s)^${pattern}$`
}

const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ['*', '[^/]*'],
  ['?', '[^/]'],
])

function literal(character: string): string {
  return /[.*+?^${}()|[\]\\]/.test(character) ? `\\${character}` : character
}
