import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runTool } from '../programs.testing.ts'

const ruleset = (conditions: readonly (readonly [string, string])[]) => {
  const codes = [...new Set([...conditions.map(([, code]) => code), 'DENY'])]
  return {
    config: { name: 'limit', entry_step: 'd' },
    steps: {
      d: {
        id: 'd',
        type: 'decision',
        branches: conditions.map(([condition, next_step]) => ({ condition, next_step })),
        default_next: 'DENY',
      },
      ...Object.fromEntries(
        codes.map((code) => [code, { id: code, type: 'terminal', result: { code, message: code } }]),
      ),
    },
  }
}

let directory = ''

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-analysis-'))
  const write = (name: string, content: unknown) =>
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content, undefined, 1))
  write(
    'old.json',
    ruleset([
      ['score == 700', 'ALLOW'],
      ['score == 600', 'REVIEW'],
    ]),
  )
  write(
    'same.json',
    ruleset([
      ['score in [700]', 'ALLOW'],
      ['score == 600', 'REVIEW'],
    ]),
  )
  write(
    'new.json',
    ruleset([
      ['score == 700', 'ALLOW'],
      ['score == 650', 'ALLOW'],
      ['score == 600', 'REVIEW'],
    ]),
  )
  write(
    'dead.json',
    ruleset([
      ['tier == "gold"', 'ALLOW'],
      ['tier in ["gold"]', 'REVIEW'],
    ]),
  )
  write('opaque.json', ruleset([['is_string(name) && md5(name) == "0123456789abcdef0123456789abcdef"', 'ALLOW']]))
  const decimal = ruleset([['score == 600', 'REVIEW']])
  write('allowed.ndjson', '{"input": {"score": 700}, "code": "ALLOW"}\n')
  write('decimal.json', { ...decimal, config: { ...decimal.config, numbers: 'decimal' } })
  write('broken.json', '{"config": {}}')
  write(
    'records.ndjson',
    '{"input": {"score": 650}, "code": "DENY"}\n\n{"input": {"score": 1}}\n{"input": {}, "code": "ALLOW"}\n',
  )
  write('input.json', { score: 1 })
  write('list.json', [])
  write('bad.ndjson', '{"input": {}}\n{"input": 3}\n')
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const engine = (...args: string[]) => runTool('engine', args, directory)

describe('engine analyze', () => {
  test.each([
    [['old.json'], 0],
    [['dead.json'], 1],
    [['broken.json'], 1],
    [['opaque.json'], 0],
    [['opaque.json', '--strict'], 3],
    [['dead.json', 'opaque.json', '--strict'], 1],
    [[], 2],
    [['old.json', '--format', 'xml'], 2],
    [['absent.json'], 1],
  ])('%j exits with %d', async (args, code) => {
    expect(await engine('analyze', ...args)).toMatchObject({ code })
  })

  test('names the place, the reason and what shadows', async () => {
    const { stdout } = await engine('analyze', 'dead.json')
    expect(stdout).toContain('✗ dead.json')
    expect(stdout).toMatch(
      /dead\.json:\d+:\d+: `\/steps\/d\/branches\/1` error: shadowed: .*\n +by +\/steps\/d\/branches\/0/,
    )
  })

  test('writes JSON, SARIF, JUnit and Markdown', async () => {
    const [json, sarif, junit, markdown] = await Promise.all(
      ['json', 'sarif', 'junit', 'markdown'].map(
        async (format) => (await engine('analyze', 'dead.json', '-f', format)).stdout,
      ),
    )
    expect(JSON.parse(json ?? '')).toMatchObject([{ file: 'dead.json', report: { ruleset: 'limit', domain: 'any' } }])
    const { version, runs } = JSON.parse(sarif ?? '') as { version: string; runs: { results: { ruleId: string }[] }[] }
    expect([version, runs[0]?.results.map(({ ruleId }) => ruleId)]).toEqual([
      '2.1.0',
      expect.arrayContaining(['shadowed']),
    ])
    expect(junit).toContain('failures="1"')
    expect(markdown).toContain('| error | shadowed | `/steps/d/branches/1` |')
  })
})

describe('engine impact', () => {
  test.each([
    [['old.json', 'same.json'], 0],
    [['old.json', 'new.json'], 0],
    [['old.json', 'new.json', '--forbid', 'DENY->ALLOW'], 1],
    [['old.json', 'new.json', '--forbid', 'ALLOW -> DENY'], 0],
    [['old.json', 'new.json', '--forbid', '*->REVIEW'], 0],
    [['old.json', 'new.json', '--records', 'records.ndjson', '--max-changed', '50%'], 0],
    [['old.json', 'new.json', '--records', 'records.ndjson', '--max-changed', '49%'], 1],
    [['old.json', 'opaque.json', '--strict', '--forbid', 'DENY->ALLOW'], 1],
    [['old.json', 'new.json', '--forbid', 'DENY'], 2],
    [['old.json', 'new.json', '--max-changed', '1%'], 2],
    [['old.json', 'new.json', '--max-changed', 'many', '--records', 'records.ndjson'], 2],
    [['old.json'], 2],
    [['old.json', 'broken.json'], 1],
    [['old.json', 'new.json', '--records', 'bad.ndjson'], 1],
  ])('%j exits with %d', async (args, code) => {
    expect(await engine('impact', ...args)).toMatchObject({ code })
  })

  test('shows regions, records and gates', async () => {
    const { stdout } = await engine(
      'impact',
      'old.json',
      'new.json',
      '--records',
      'records.ndjson',
      '--forbid',
      'DENY->ALLOW',
    )
    expect(stdout).toContain('  score == 650: DENY -> ALLOW\n    input {"score":650}\n')
    expect(stdout).toContain('only adds: refuted, only removes: refuted, no new failure: proved')
    expect(stdout).toContain('2 of 3 records replayed, 1 change: 50 %')
    expect(stdout).toContain('  not replayed: 1, the old version does not decide what was recorded\n')
    expect(stdout).toContain('✗ DENY->ALLOW: refuted, input {"score":650}')
  })

  test.each([
    ['text', /^different: these inputs change, and no others \(proved\)\n  score == 650: DENY -> ALLOW\n/],
    ['markdown', /^### different: these inputs change, and no others \(proved\)\n[^]*\| `score == 650` \| `DENY` \|/],
    ['json', /"regions":\[\{"condition":"score == 650","complete":true,/],
    ['sarif', /"score == 650: DENY -> ALLOW"/],
  ])('says as %s that these inputs change and no others', async (format, expected) => {
    expect((await engine('impact', 'old.json', 'new.json', '--format', format)).stdout).toMatch(expected)
  })

  test.each([
    ['text', /^different\n  score == 700 and perhaps others: ALLOW -> DENY\n/],
    ['markdown', /^### different\n[^]*\| `score == 700` and perhaps others \| `ALLOW` \|/],
    ['json', /"condition":"score == 700","complete":false,/],
    ['sarif', /"score == 700 and perhaps others: ALLOW -> DENY"/],
  ])('says as %s that others may change like some', async (format, expected) => {
    const args = ['old.json', 'decimal.json', '--records', 'allowed.ndjson', '--format', format]
    expect((await engine('impact', ...args)).stdout).toMatch(expected)
  })

  test('proves that nothing changes', async () => {
    expect((await engine('impact', 'old.json', 'same.json')).stdout).toContain(
      'equivalent: no input is decided otherwise (proved)',
    )
    const { stdout } = await engine('impact', 'old.json', 'same.json', '--format', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ diff: { verdict: 'equivalent', regions: [] }, gates: [] })
  })

  test('names the line of an invalid record', async () => {
    const { stderr } = await engine('impact', 'old.json', 'new.json', '--records', 'bad.ndjson')
    expect(stderr).toBe('bad.ndjson:2: `input` must be an object\n')
  })
})

describe('engine why', () => {
  test.each([
    [
      ['new.json', '--input', 'input.json', '--code', 'REVIEW'],
      0,
      'score: 1 -> 600\nno change of fewer fields is enough (proved)\n',
    ],
    [['new.json', '--input', 'input.json', '--code', 'DENY'], 0, 'the input has this code already\n'],
    [['new.json', '--input', 'input.json', '--code', 'MAYBE'], 2, ''],
    [
      ['new.json', '--input', 'input.json', '--code', 'ALLOW', '--changeable', 'age'],
      1,
      'no change of these fields gives this code (proved)\n',
    ],
    [
      ['opaque.json', '--input', 'input.json', '--code', 'ALLOW'],
      3,
      'unknown: no input was found that gives the code\n',
    ],
    [['new.json', '--input', 'list.json', '--code', 'DENY'], 1, ''],
    [['new.json', '--code', 'DENY'], 2, ''],
  ])('%j exits with %d', async (args, code, stdout) => {
    expect(await engine('why', ...args)).toMatchObject({ code, stdout })
  })

  test('writes JSON', async () => {
    const { stdout } = await engine('why', 'new.json', '--input', 'input.json', '--code', 'REVIEW', '-f', 'json')
    expect(JSON.parse(stdout)).toEqual({
      verdict: 'found',
      changes: [{ path: 'score', from: 1, to: 600 }],
      witness: { input: { score: 600 } },
      fewest: 'proved',
    })
  })
})

test('engine cases writes a suite that engine-check runs, with every branch', async () => {
  const { code, stdout } = await engine('cases', 'new.json')
  expect(code).toBe(0)
  writeFileSync(join(directory, 'new.cases.json'), stdout)
  const checked = await runTool('engine-check', ['--min-coverage', '100', 'new.json'], directory)
  expect(checked).toMatchObject({ code: 0 })
  expect(checked.stdout).toContain('4 cases')
})

test('engine cases writes text and Markdown', async () => {
  expect((await engine('cases', 'new.json', '-f', 'text')).stdout).toMatch(/ {2}input {4}\{.*\}\n {2}expected ALLOW\n/)
  expect((await engine('cases', 'new.json', '-f', 'markdown')).stdout).toMatch(/^\| case \| input \| expected \|\n/)
  expect(await engine('cases', 'new.json', '-f', 'sarif')).toMatchObject({ code: 2 })
})

test('engine impact writes JSON, SARIF, JUnit and Markdown with its gates', async () => {
  const [json, sarif, junit, markdown] = await Promise.all(
    ['json', 'sarif', 'junit', 'markdown'].map(
      async (format) =>
        (await engine('impact', 'old.json', 'new.json', '--forbid', 'DENY->ALLOW', '-f', format)).stdout,
    ),
  )
  expect(JSON.parse(json ?? '')).toMatchObject({ diff: { verdict: 'different' }, gates: [{ verdict: 'refuted' }] })
  const { runs } = JSON.parse(sarif ?? '') as { runs: { results: { ruleId: string; level: string }[] }[] }
  expect(runs[0]?.results.map(({ ruleId, level }) => `${ruleId} ${level}`)).toEqual(['gate error', 'difference note'])
  expect(junit).toContain('tests="2" failures="1"')
  expect(markdown).toContain('- ✗ `DENY->ALLOW`: refuted')
})

describe('engine coverage', () => {
  beforeAll(() => {
    const cases = [650, 700].map((score) => ({
      name: String(score),
      input: { score },
      expect: { code: 'ALLOW' },
      now: '2026-01-01T00:00:00Z',
    }))
    writeFileSync(join(directory, 'some.json'), JSON.stringify(cases))
    writeFileSync(join(directory, 'none.json'), '[]')
  })

  test.each([
    [['new.json', '--cases', 'some.json'], 0],
    [['new.json', '--cases', 'some.json', '--require', 'branches=50%'], 0],
    [['new.json', '--cases', 'some.json', '--require', 'branches=50%', '--require', 'mutants=100'], 1],
    [['new.json', '--cases', 'none.json', '--require', 'branches=0.1%'], 1],
    [['new.json', '--cases', 'some.json', '--require', 'lines=50%'], 2],
    [['new.json', '--cases', 'some.json', '--require', 'branches=150%'], 2],
    [['new.json', '--cases', 'some.json', '--require', 'branches'], 2],
    [['new.json', '--cases', 'absent.json'], 1],
    [['broken.json', '--cases', 'some.json'], 1],
    [[], 2],
  ])('%j exits with %d', async (args, code) => {
    expect(await engine('coverage', ...args)).toMatchObject({ code })
  })

  test('lists what no case covers', async () => {
    const { stdout } = await engine('coverage', 'new.json', '--cases', 'some.json')
    expect(stdout).toContain('✓ new.json: 2 cases\n  branches: 2 of 4 (50 %)\n')
    expect(stdout).toContain('  /steps/d/branches/2 never taken\n')
    expect(stdout).toContain('no case has score == 600\n')
  })

  test('writes JSON, SARIF, JUnit and Markdown', async () => {
    const [json, sarif, junit, markdown] = await Promise.all(
      ['json', 'sarif', 'junit', 'markdown'].map(
        async (format) =>
          (await engine('coverage', 'new.json', '--cases', 'some.json', '--require', 'branches=90%', '-f', format))
            .stdout,
      ),
    )
    expect(JSON.parse(json ?? '')).toMatchObject({
      file: 'new.json',
      branches: { covered: 2, total: 4 },
      requirements: [{ measure: 'branches', share: 0.9, met: false }],
    })
    expect(sarif).toContain('branches: 50 %, required 90 %')
    expect(junit).toContain('failures="1"')
    expect(markdown).toContain('| branches | 2 of 4 | 50 % | ✗ 90 % |')
  })
})

describe('certificates', () => {
  test('are written by analyze and checked by verify-certificate', async () => {
    expect(await engine('analyze', 'dead.json', '--certificate', 'dead.proof')).toMatchObject({ code: 1 })
    const checked = await engine('verify-certificate', 'dead.proof', 'dead.json')
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining('proved: shadowed /steps/d/branches/1\n'),
    ])
    const refused = await engine('verify-certificate', 'dead.proof', 'old.json')
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('the certificate is about other rulesets'),
    ])
  })

  test('of two versions are written by impact', async () => {
    expect(await engine('impact', 'old.json', 'same.json', '--certificate', 'same.proof')).toMatchObject({ code: 0 })
    const checked = await engine('verify-certificate', 'same.proof', 'old.json', 'same.json')
    expect([checked.code, checked.stdout]).toEqual([
      0,
      'proved: equivalent\nproved: only_adds\nproved: only_removes\nproved: no_new_failure\n',
    ])
  })

  test.each([
    [['verify-certificate', 'records.ndjson', 'old.json'], 1, 'records.ndjson'],
    [['verify-certificate', 'input.json', 'old.json'], 1, 'not a certificate'],
    [['verify-certificate', 'input.json'], 2, 'rules'],
    [['impact', 'old.json', 'new.json', '--max-changed', '2%'], 2, '--max-changed needs --records'],
    [['verify-certificate', 'input.json', 'old.json', 'new.json', 'same.json'], 2, 'one rule file or two'],
    [['analyze', 'old.json', 'new.json', '--certificate', 'x.proof'], 2, 'one rule file'],
    [['analyze', 'dead.json', '--certificate', 'missing/x.proof'], 1, 'cannot be written'],
  ] as const)('%j exits with %i', async (args, status, message) => {
    const found = await engine(...args)
    expect([found.code, found.stderr]).toEqual([status, expect.stringContaining(message)])
  })
})
