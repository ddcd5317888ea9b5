import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Block, blocksOf } from '../docs/page.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam } from './team.testing.ts'

const PAGE = 'docs/platform/authoring.md'
const END = '@@ end of a block'

const database = useDatabase('postgres')
let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform(database())
})
afterAll(() => platform.stop())

/** Expected answers from the comments of a block; `…` matches anything. */
const answersOf = ({ text }: Block) => (text.match(/(?<=^# ).*$/gm) ?? []).map((answer) => answer.split('…'))

/** The parts of an answer, one behind the other. */
function indexBehind(output: string, parts: readonly string[], from: number): number {
  let at = from
  for (const part of parts) {
    const found = output.indexOf(part, at)
    if (found < 0) return -1
    at = found + part.length
  }
  return at
}

test('the requests of the page work as described', async () => {
  const team = await newTeam(platform)
  const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))
  const scopes = ['project.read', 'fact.edit', 'contract.edit', 'ruleset.edit', 'test.run']
  const { token } = await made(team.owner.request('POST', `${team.path}/api-keys`, { name: 'docs', scopes }))
  const blocks = blocksOf(PAGE).filter(({ language }) => language === 'sh')
  const script = blocks.map(({ text }) => `${text}\necho\necho '${END}'`).join('\n')
  const directory = mkdtempSync(join(tmpdir(), 'authoring-page-'))
  try {
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `set -eu\n${script}`], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', W: platform.url, P: `${platform.url}/api/v1/projects/${id}`, K: token },
      maxBuffer: 16 * 1024 * 1024,
    })
    const outputs = stdout.split(END)
    for (const [index, block] of blocks.entries()) {
      const output = outputs[index] ?? ''
      let at = 0
      for (const parts of answersOf(block)) {
        const behind = indexBehind(output, parts, at)
        expect(behind, `${block.heading}: ${parts.join('…')}\nin ${output.slice(at)}`).toBeGreaterThan(-1)
        at = behind
      }
    }
    // No request has failed but the one that is to show it.
    expect(stdout.match(/"error":"[^"]*","code"/g)).toEqual([expect.stringContaining('it is at seq 1')])
    expect(stdout).toMatch(/export (?:interface|type) \w*Delivery/)
    expect(stdout).toMatch(/^ok 1 - /m)
    expect(stdout).toContain('suite,name,now,input,stubs,expect')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
