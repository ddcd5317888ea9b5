import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTar } from '../../apps/platform-server/src/compute/tar-reader.ts'
import { TEMPLATE_IDS } from '../../apps/platform-server/src/template-ids.ts'
import { runTool } from '../programs.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let directory: string
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
  directory = mkdtempSync(join(tmpdir(), 'engine-check-export-'))
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await platform.stop()
})

const check = (...args: string[]) => runTool('engine-check', args, directory)

/** Makes a project of a template and unpacks its export. */
async function unpackedExport(template: string): Promise<void> {
  const body = { template_id: template, project_name: template }
  const { id } = await made(team.owner.request('POST', `${team.O}/projects/from-template`, body))
  const cookie = [...team.owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${platform.url}${team.O}/projects/${id}/export`, { headers: { cookie } })
  for (const { path, text } of await readTar(Buffer.from(await answer.arrayBuffer()))) write(template, path, text)
}

function write(project: string, path: string, text: string): void {
  const file = join(directory, project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

test.each(TEMPLATE_IDS)('the export of a project of the template %s is checked as it is', async (template) => {
  await unpackedExport(template)
  const { code, stdout, stderr } = await check('--require-cases', template)
  expect([code, stderr]).toEqual([0, ''])
  const [, shown] = stdout.split('\n✓ ')
  expect(shown).toMatch(/^\d+ rulesets?, [1-9]\d* cases, none failed\n$/)
  expect(stdout).toMatch(/rows [1-9]\d*\/\d+ \(\d+ %\)/)
})

describe('a project is checked with its facts, contracts and suites', () => {
  const files = {
    ruleset: 'rulesets/vat.json',
    contract: 'contracts/vat.json',
    fact: 'facts/buyer.country.json',
  } as const

  /** Checks the project with one file changed, and puts the file back. */
  async function checkedWith(path: string, from: string, to: string) {
    const file = join(directory, 'tax', path)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(from)
    writeFileSync(file, text.replace(from, to))
    const found = await check('tax')
    writeFileSync(file, text)
    return found
  }

  test.each([
    [
      'an expression that reads an undeclared field',
      files.ruleset,
      'buyer.country == seller.country',
      'buyer.land == seller.country',
      /✗ tax\/rulesets\/vat\.json\n {2}tax\/rulesets\/vat\.json:\d+:\d+: `\/steps\/1\/branches\/0\/condition` the contract declares no field `buyer\.land`/,
    ],
    [
      'an invalid type',
      files.fact,
      '"string"',
      '"text"',
      /✗ tax\/facts\/buyer\.country\.json\n {2}tax\/facts\/buyer\.country\.json:\d+:\d+: `\/type` `text` is not a type/,
    ],
    [
      'a contract without a code',
      files.contract,
      '"code": "REVIEW"',
      '"code": "LOOK"',
      /the contract has no output code `REVIEW`/,
    ],
  ])('%s', async (_what, path, from, to, expected) => {
    const { code, stdout } = await checkedWith(path, from, to)
    expect(stdout).toMatch(expected)
    expect(code).toBe(1)
  })

  test('a case of a suite that fails is named with its suite', async () => {
    const [suite = ''] = readdirSync(join(directory, 'tax/tests/vat'))
    const { code, stdout } = await checkedWith(`tests/vat/${suite}`, 'code: ', 'code: NOT_')
    expect(stdout).toContain(`  ✗ ${suite.replace('.yaml', '')}: `)
    expect(stdout).toMatch(/code: expected "NOT_\w+", found "\w+"/)
    expect(code).toBe(1)
  })

  test('below a folder with rule files, which are checked too', async () => {
    const terminal = { id: 'e', type: 'terminal', result: { code: 'A', message: '' } }
    write('.', 'plain.json', JSON.stringify({ config: { name: 'plain', entry_step: 'e' }, steps: { e: terminal } }))
    const { code, stdout } = await check('--format', 'json', '.')
    const { summary, rulesets } = JSON.parse(stdout) as {
      summary: { files: number }
      rulesets: { file: string; name: string }[]
    }
    expect(code).toBe(0)
    expect(summary.files).toBe(TEMPLATE_IDS.length + 1)
    expect(rulesets[0]).toMatchObject({ file: 'plain.json', name: 'plain' })
  })
})
