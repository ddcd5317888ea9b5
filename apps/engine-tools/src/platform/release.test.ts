import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { ToolError } from '../tool.ts'
import type { PlatformClient } from './client.ts'
import { type Preview, previewText, releaseIn, requestOf, untilApproved, watch } from './release.ts'
import { eventsOf, lineOf } from './release-events.ts'

const SIGNAL = new AbortController().signal

const release = (more: object = {}): Value => ({
  id: 'r',
  number: 7,
  title: 'Fees',
  status: 'approved',
  content_digest: 'd',
  execution_id: null,
  ...more,
})

/** A stream of these parts of text. */
const streamOf = (...parts: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })

/** A platform that gives these answers in turn. */
function client({
  answers = [],
  streams = [],
}: {
  readonly answers?: readonly Value[]
  readonly streams?: readonly { readonly status: number; readonly body: ReadableStream<Uint8Array> | null }[]
}) {
  const asked: string[] = []
  const [left, open] = [[...answers], [...streams]]
  const made = {
    url: 'http://platform',
    async get(path: string) {
      asked.push(path)
      return left.shift()
    },
    async events(path: string, last: string | undefined) {
      asked.push(`${path} after ${last}`)
      return open.shift()
    },
  }
  return { client: made as unknown as PlatformClient, asked }
}

describe('a release', () => {
  test('is read with its execution, where it has one', () => {
    expect(releaseIn(release({ more: 1 }))).toEqual(release())
    expect(releaseIn(release({ execution_id: 'x' }))).toMatchObject({ execution_id: 'x' })
  })

  test.each(['id', 'number', 'title', 'status', 'content_digest'])('without `%s` is none', (member) => {
    expect(() => releaseIn(release({ [member]: null }))).toThrow('without a release')
  })

  test('is asked for by the named saves, else by the last ones', async () => {
    const { client: platform, asked } = client({ answers: [{ seq: 9 }] })
    const wanted = { ruleset: ['fee@3', 'a/b'], environment: ['prod'] }
    expect(await requestOf(platform, 'p', wanted)).toEqual({
      rulesets: [
        { name: 'fee', from_seq: 3 },
        { name: 'a/b', from_seq: 9 },
      ],
      environments: ['prod'],
      title: 'Release of fee, a/b',
    })
    expect(asked).toEqual(['/projects/p/rulesets/a%2Fb'])
  })

  test.each([
    [
      { title: 'T', description: 'D', acknowledgeBreaking: true },
      { title: 'T', description: 'D', acknowledge_breaking: true },
    ],
    [{ acknowledgeBreaking: false }, { title: 'Release of fee' }],
  ])('with the options %j is asked for with %j', async (options, members) => {
    const wanted = { ruleset: ['fee@3'], environment: [], ...options }
    const rulesets = [{ name: 'fee', from_seq: 3 }]
    expect(await requestOf(client({}).client, 'p', wanted)).toEqual({ rulesets, environments: [], ...members })
  })
})

describe('a release that is watched', () => {
  test.each([
    ['completed', true],
    ['failed', false],
    ['rejected', false],
    ['cancelled', false],
    ['rolled_back', false],
    ['rollback_failed', false],
  ])('and %s is live: %s', async (status, isLive) => {
    const shown: string[] = []
    const { client: platform } = client({ answers: [release({ status })] })
    expect(await watch(platform, '/releases/r', (line) => shown.push(line), SIGNAL)).toBe(isLive)
    expect(shown).toEqual([`release 7 “Fees” is ${status}`])
  })

  test('is looked at again after the events of its execution, which are shown once', async () => {
    const shown: string[] = []
    const executing = release({ status: 'executing', execution_id: 'x' })
    const { client: platform, asked } = client({
      answers: [executing, release({ status: 'completed', execution_id: 'x' })],
      streams: [{ status: 204, body: null }],
    })
    expect(await watch(platform, '/r', (line) => shown.push(line), SIGNAL)).toBe(true)
    expect(asked).toEqual(['/r', '/r/executions/x/events after undefined', '/r'])
    expect(shown).toEqual(['release 7 “Fees” is executing', 'release 7 “Fees” is completed'])
  })

  test('is approved, or has failed', async () => {
    await untilApproved(client({ answers: [release()] }).client, '/r', SIGNAL)
    const rejected = client({ answers: [release({ status: 'rejected' })] }).client
    await expect(untilApproved(rejected, '/r', SIGNAL)).rejects.toEqual(new ToolError('release 7 is rejected'))
  })
})

describe('events', () => {
  const event = (id: number, more: object = {}) => ({ id, type: 'stage_started', at: 't', data: {}, ...more })
  const frame = (value: object) => `id: 1\nevent: x\ndata: ${JSON.stringify(value)}\n\n`

  test('are read from any parts of a stream; comments and other fields are skipped', async () => {
    const text = `: hello\n\n${frame(event(1))}${frame(event(2))}`
    const body = streamOf(text.slice(0, 25), text.slice(25, 60), text.slice(60))
    const { client: platform } = client({ streams: [{ status: 200, body }] })
    const ids: number[] = []
    for await (const { id } of eventsOf(platform, '/e', SIGNAL)) {
      ids.push(id)
      if (id === 2) break
    }
    expect(ids).toEqual([1, 2])
  })

  test.each([
    [{}, 't  stage_started'],
    [{ environment: 'prod' }, 't  stage_started  prod'],
    [{ environment: 'prod', server_id: 's' }, 't  stage_started  prod s'],
    [{ data: { percent: 5, reason: 'late', other: 1, error: null } }, 't  stage_started  percent=5  reason=late'],
    [{ data: { from: 'a', to: 'b', decision: ['x'] } }, 't  stage_started  from=a  to=b  decision=["x"]'],
  ])('with %j are the line %j', (more, line) => {
    expect(lineOf({ ...event(1, more), answer: null })).toBe(line)
  })
})

describe('a preview', () => {
  const graphs = { config: [], steps_added: [], steps_removed: [], steps_changed: [], branches_changed: [] }
  const diff = (more: object = {}) => ({
    ...graphs,
    environment: 'prod',
    ruleset: 'fee',
    base: {},
    removed: false,
    sub_rules: [],
    contract: null,
    ...more,
  })
  const text = (more: Partial<Preview>) =>
    previewText({ would_create: true, blocked: [], diffs: [], requirements: [], ...more }).split('\n')
  const CAN = 'The release can be made.'

  test.each<readonly [string, Partial<Preview>, readonly string[]]>([
    ['that can be made', {}, [CAN]],
    ['that cannot be made', { would_create: false }, ['The release cannot be made.']],
    ['of a removal', { diffs: [diff({ removed: true })] }, ['fee in prod: taken out', CAN]],
    ['of a first version', { diffs: [diff({ base: null })] }, ['fee in prod: new', CAN]],
    ['without changes', { diffs: [diff()] }, ['fee in prod: nothing changes', CAN]],
    [
      'that breaks a contract',
      { diffs: [diff({ contract: { breaking: true, breaks: [{ message: 'a field is required' }] } })] },
      ['fee in prod: nothing changes, its contract breaks', '  breaks: a field is required', CAN],
    ],
    [
      'of changed settings and steps',
      {
        diffs: [
          diff({
            config: [{ path: '/config/version', before: '1', after: '2' }],
            steps_added: ['a'],
            steps_removed: ['b'],
            steps_changed: [{ id: 'c', path: '/message', after: { x: 1 } }],
          }),
        ],
      },
      [
        'fee in prod: changes',
        '  version: 1 -> 2',
        '  step a added',
        '  step b removed',
        '  step c message: nothing -> {"x":1}',
        CAN,
      ],
    ],
    [
      'of changed branches and sub-rules',
      {
        diffs: [
          diff({
            branches_changed: [
              { step: 's', kind: 'row', id: 'r1', change: 'added', changes: [] },
              { step: 's', kind: 'branch', id: 'b', change: 'changed', changes: [{ path: '/condition', before: 'x' }] },
            ],
            sub_rules: [
              { ...graphs, name: 'tax', change: 'added', steps_added: ['hidden'] },
              { ...graphs, name: 'vat', change: 'changed', steps_added: ['n'] },
            ],
          }),
        ],
      },
      [
        'fee in prod: changes',
        '  step s row r1 added',
        '  step s branch b condition: x -> nothing',
        '  sub-rule tax added',
        '  sub-rule vat: step n added',
        CAN,
      ],
    ],
    [
      'with approvals and obstacles',
      {
        would_create: false,
        requirements: [
          { environment: 'prod', min_count: 2 },
          { environment: null, min_count: 1 },
        ],
        blocked: [
          { path: '/rulesets/0', message: 'has errors', severity: 'error' },
          { path: '/environments', message: 'has no guard', severity: 'warning' },
        ],
      },
      [
        'prod: needs 2 approvals',
        'a breaking change: needs 1 approval',
        'blocked: /rulesets/0 has errors',
        'warning: /environments has no guard',
        'The release cannot be made.',
      ],
    ],
  ])('%s', (_, preview, lines) => {
    expect(text(preview)).toEqual(lines)
  })

  test('shows fifty changes of a ruleset, and counts the others', () => {
    const steps = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`)
    expect(text({ diffs: [diff({ steps_added: steps(50) })] })).toHaveLength(52)
    const more = text({ diffs: [diff({ steps_added: steps(52) })] })
    expect([more.length, more.at(-2)]).toEqual([53, '  and 2 more'])
  })

  test('cuts long values', () => {
    const after = 'x'.repeat(121)
    const [, line] = text({
      diffs: [diff({ config: [{ path: '/config/description', before: 'x'.repeat(120), after }] })],
    })
    expect(line).toBe(`  description: ${'x'.repeat(120)} -> ${'x'.repeat(120)}…`)
  })
})
