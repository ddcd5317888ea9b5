import type { ColumnRoles } from '@engine/interchange'
import { createInterface } from 'node:readline/promises'
import { WrongColumns } from './from-sheet.ts'

/** The streams of a terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/**
 * The given roles of columns; on a terminal the user enters the missing ones. Throws `WrongColumns`.
 *
 * @param terminal undefined: there is none
 */
export async function completeRoles(
  titles: readonly string[],
  { inputs, outputs }: { readonly [role in keyof ColumnRoles]: ColumnRoles[role] | undefined },
  terminal: Terminal | undefined = ownTerminal(),
): Promise<ColumnRoles> {
  if (inputs !== undefined && outputs !== undefined) return { inputs, outputs }
  if (terminal === undefined)
    throw new WrongColumns(
      `name the columns by --inputs and --outputs: the sheet has ${titles.map((title) => JSON.stringify(title)).join(', ')}`,
    )
  const lines = createInterface({ ...terminal, terminal: false })
  try {
    const answers = lines[Symbol.asyncIterator]()
    const ask = async (what: string, among: readonly string[]) => {
      terminal.output.write(`Which columns are ${what}? (${among.join(', ')}): `)
      const { value, done } = await answers.next()
      if (done === true) throw new WrongColumns(`no ${what} are named`)
      return value
        .split(',')
        .map((title) => title.trim())
        .filter((title) => title !== '')
    }
    const asked = inputs ?? (await ask('inputs', titles))
    const isLeft = (title: string) => !asked.some((one) => one.toLowerCase() === title.toLowerCase())
    return { inputs: asked, outputs: outputs ?? (await ask('outputs', titles.filter(isLeft))) }
  } finally {
    lines.close()
  }
}

function ownTerminal(): Terminal | undefined {
  return process.stdin.isTTY && process.stderr.isTTY ? { input: process.stdin, output: process.stderr } : undefined
}
