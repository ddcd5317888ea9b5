/** Comments and code of a source, or the text of a page; the tests of prose and of references read both. */
export interface Texts {
  /** Comments of a source, without their marks; the paragraphs of a page, without its code blocks. */
  readonly comments: readonly string[]
  /** The source without its comments, texts in place; empty for a page. */
  readonly code: string
}

/** One token at a time: texts and regular expressions are skipped, so that `//` within them begins no comment. */
const TOKEN =
  /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`|(?<=[=(,:;!&|?{}[\n]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g

const withoutMarks = (comment: string) =>
  comment
    .replace(/^\/\*+|\*\/$|^\/\//g, '')
    .replaceAll(/^\s*\*/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Lines of `//` below each other are one comment. */
const joinedLines = (source: string) => source.replaceAll(/(\/\/[^\n]*)\n[ \t]*\/\/(?=[ \t])/g, '$1')

export function textsOf(path: string, text: string): Texts {
  if (path.endsWith('.md')) {
    const paragraphs = text.replaceAll(/^( *)```[^]*?^\1```/gm, '').split(/\n{2,}/)
    return { comments: paragraphs.map((one) => one.replaceAll(/\s+/g, ' ').trim()), code: '' }
  }
  const comments: string[] = []
  const code = joinedLines(text).replaceAll(TOKEN, (token) => {
    if (!/^\/[*/]/.test(token)) return token
    if (!/copyright|licen[cs]e/i.test(token)) comments.push(withoutMarks(token))
    return ' '
  })
  return { comments, code }
}

/** Calls and properties whose texts people read: log lines, errors, summaries, options. */
const CALL =
  /\b(?:log|logger)\.(?:trace|debug|info|warn|error|fatal)\(|\bnew [A-Z]\w*(?:Error|Fault|Failure|Refusal)\(|\b(?:failures?|problems|errors)\.\w+\(/g
const PROPERTY = /\b(?:summary|meaning|description|help|message)\??: /g
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`/y

/** Behind the strings of a call's arguments, or of a property's value: up to the bracket that closes it, or the comma behind it. */
function stringsFrom(code: string, start: number, isProperty: boolean): readonly string[] {
  const found: string[] = []
  let depth = 0
  for (let at = start; at < code.length; at++) {
    STRING.lastIndex = at
    const string = STRING.exec(code)?.[0]
    if (string !== undefined) {
      found.push(string.slice(1, -1))
      at += string.length - 1
      continue
    }
    const character = code[at] ?? ''
    if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character) && --depth < 0) break
    else if (isProperty && depth === 0 && (character === ',' || character === ';')) break
  }
  return found
}

/** Texts of a source that users and operators read, without names in backticks and computed parts. */
export function messagesOf(code: string): readonly string[] {
  const calls = Array.from(code.matchAll(CALL), ({ index, 0: call }) => stringsFrom(code, index + call.length, false))
  const properties = Array.from(code.matchAll(PROPERTY), ({ index, 0: name }) =>
    stringsFrom(code, index + name.length, true),
  )
  return [...calls, ...properties]
    .flat()
    .map((text) => text.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll('\\', ''))
    .filter((text) => text.includes(' '))
}
