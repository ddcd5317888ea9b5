import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The repository's root; pages are named from there. */
export const ROOT = join(import.meta.dirname, '../..')

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  /** The heading above it. */
  readonly heading: string
  readonly text: string
}

export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  let heading = ''
  const blocks: Block[] = []
  for (const [, title, language = '', content = ''] of text.matchAll(/^#+ (.*)$|^```(\w*)\n([^]*?)^```$/gm))
    if (title === undefined) blocks.push({ language, heading, text: content })
    else heading = title
  return blocks
}

/** The first block of a language below a heading. */
export function blockOf(page: string, heading: string, language: string): string {
  const found = blocksOf(page).find((block) => block.heading === heading && block.language === language)
  if (found === undefined) throw new Error(`${page} has no \`${language}\` below ${heading}`)
  return found.text
}

/** The code in the cells of a table's rows, for the rows below a heading whose first cell is code. */
export function codeRowsOf(page: string, heading: string): readonly (readonly string[])[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const start = text.indexOf(`\n## ${heading}\n`)
  if (start < 0) throw new Error(`${page} has no heading ${heading}`)
  const part = text.slice(start + 1)
  const end = part.indexOf('\n## ')
  return (end < 0 ? part : part.slice(0, end))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll(/^`|`$/g, '')),
    )
}
