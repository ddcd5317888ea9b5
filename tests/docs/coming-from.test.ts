import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runTool } from '../programs.testing.ts'
import { blocksOf, ROOT } from './page.testing.ts'
import { commandsOf } from './shell.testing.ts'

/**
 * Executes the pages about files: writes each document to the file that the page names, and
 * compares the output of each command with the text below it.
 */
const PAGES: { readonly [page: string]: readonly string[] } = {
  'docs/coming-from-gorules.md': ['shipping.json'],
  'docs/coming-from-dmn.md': ['discount.dmn', 'rules/Discount.cases.json'],
  'docs/coming-from-json-rules-engine.md': ['checks.json', 'rules/checks.cases.json'],
  'docs/table-in-five-minutes.md': ['shipping.csv', 'order.json'],
  'docs/command-line.md': ['input.json'],
  'docs/get-started/rule-author.md': ['rules/delivery.json', 'rules/delivery.cases.json', 'order.json'],
}

const directories: string[] = []
afterAll(() => directories.forEach((directory) => rmSync(directory, { recursive: true })))

describe.each(Object.entries(PAGES))('%s', (page, files) => {
  const directory = mkdtempSync(join(tmpdir(), 'engine-coming-from-'))
  directories.push(directory)
  symlinkSync(join(ROOT, 'examples'), join(directory, 'examples'))

  test('shows each command with what it prints', async () => {
    const left = [...files]
    let printed = ''
    let commands = 0
    for (const { language, text } of blocksOf(page))
      if (['json', 'xml', 'csv'].includes(language)) {
        const file = join(directory, left.shift() ?? '')
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
      } else if (language === 'text') expect(printed).toBe(text)
      else
        for (const { args } of commandsOf(text, directory)) {
          const [tool = '', ...rest] = args.filter((arg) => arg !== '--no-install')
          const ended = await runTool(tool, rest, directory)
          expect([ended.code, ended.stderr]).toEqual([0, ''])
          printed = ended.stdout
          commands++
        }
    expect(left).toEqual([])
    expect(commands).toBeGreaterThan(1)
  })
})
