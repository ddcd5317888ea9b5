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
