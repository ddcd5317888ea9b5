import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ToolError } from '../tool.ts'

/** A password is never an argument: every user of the machine sees command lines. */
export async function askPassword(email: string): Promise<string> {
  const given = process.stdin.isTTY ? await typed(email) : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (given === '') throw new ToolError('a password is needed: type it, or pass it on standard input')
  return given
}

/** Input is not echoed. */
async function typed(email: string): Promise<string> {
  process.stderr.write(`Password of ${email}: `)
  const hidden = new Writable({ write: (_part, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: hidden, terminal: true })
  try {
    return await prompt.question('')
  } finally {
    prompt.close()
    process.stderr.write('\n')
  }
}
