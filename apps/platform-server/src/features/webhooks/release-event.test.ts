import { describe, expect, test } from 'vitest'
import { EVENT_TYPES } from './events.ts'
import { bodyOf, contentTypeOf } from './message.ts'
import { type ReleaseTold, webhookEventOf } from './release-event.ts'

const RELEASE = { id: 'r1', number: 12, title: 'Raise limits', kind: 'release', status: 'executing' } as const

const told = (
  type: ReleaseTold['type'],
  more: Partial<ReleaseTold> & { readonly status?: string } = {},
): ReleaseTold => ({
  id: 3,
  type,
  at: new Date('2026-11-22T10:00:00Z'),
  project: { org_id: 'o1', id: 'p1', name: 'Loans' },
  execution_id: null,
  actor: { type: 'user', id: 'u1', name: 'Ann' },
  data: {},
  ...more,
  release: { ...RELEASE, ...more.release, ...(more.status === undefined ? {} : { status: more.status }) },
})

const SENTENCES: readonly (readonly [ReleaseTold, string])[] = [
  [
    told('release_created', { status: 'pending_approval' }),
    'Ann created Release #12 “Raise limits”, which waits for approval.',
  ],
  [told('release_created', { status: 'approved' }), 'Ann created Release #12 “Raise limits”, which needs no approval.'],
  [
    told('release_reviewed', { status: 'pending_approval', data: { decision: 'approved' } }),
    'Ann approved Release #12 “Raise limits”, which waits for further approvals.',
  ],
  [
    told('release_reviewed', { status: 'approved', data: { decision: 'approved' } }),
    'Ann approved Release #12 “Raise limits”: it can be executed.',
  ],
  [
    told('release_reviewed', { status: 'rejected', data: { decision: 'rejected', reason: 'too\nhigh.' } }),
    'Ann rejected Release #12 “Raise limits”: too high.',
  ],
  [told('release_reviewed', { status: 'pending_approval' }), 'Release #12 “Raise limits” waits for approval again.'],
  [told('release_cancelled'), 'Ann cancelled Release #12 “Raise limits”.'],
  [
    told('comment_added', { data: { text: 'Looks\ngood.' } }),
    'Ann commented on Release #12 “Raise limits”: Looks good.',
  ],
  [told('execution_started'), 'Release #12 “Raise limits” is being executed, started by Ann.'],
  [
    told('execution_started', { data: { emergency_reason: 'fraud' } }),
    'Release #12 “Raise limits” is being executed, started by Ann in a freeze window (fraud).',
  ],
  [told('execution_paused', { environment: 'prod' }), 'Release #12 “Raise limits” is paused at prod.'],
  [told('execution_resumed'), 'Ann resumed Release #12 “Raise limits”.'],
  [told('execution_cancelled'), 'Ann aborted Release #12 “Raise limits”; the content before it stays live.'],
  [
    told('execution_failed', { environment: 'prod', data: { error: 'a server did not take it' } }),
    'Release #12 “Raise limits” failed in prod: a server did not take it.',
  ],
  [told('execution_completed'), 'Release #12 “Raise limits” is completed: it is live in all of its environments.'],
  [
    told('preflight_passed', { environment: 'prod' }),
    'Release #12 “Raise limits” passed the checks before its delivery in prod.',
  ],
  [told('environment_started', { environment: 'prod' }), 'Release #12 “Raise limits” has reached prod.'],
  [told('environment_completed', { environment: 'prod' }), 'Release #12 “Raise limits” is live in prod.'],
  [
    told('stage_started', { environment: 'prod', data: { percent: 10 } }),
    'Release #12 “Raise limits” gets 10 % of the requests in prod.',
  ],
  [
    told('stage_verdict', { environment: 'prod', data: { decision: 'rollback' } }),
    'The canary of Release #12 “Raise limits” in prod says: rollback.',
  ],
  [told('stage_passed', { environment: 'prod' }), 'Release #12 “Raise limits” passed a stage of its canary in prod.'],
  [
    told('server_state', { environment: 'prod', data: { from: 'delivering', to: 'failed', error: 'no contact' } }),
    'A server in prod went from delivering to failed in Release #12 “Raise limits”: no contact.',
  ],
  [told('rollback_started'), 'Release #12 “Raise limits” is being rolled back, started by Ann.'],
  [told('rollback_completed'), 'Release #12 “Raise limits” is rolled back: the content before it is live again.'],
  [
    told('rollback_failed', { release: { ...RELEASE, kind: 'rollback' } }),
    'The rollback of Rollback #12 “Raise limits” failed.',
  ],
]

describe('the chat message of a release event', () => {
  test.each(SENTENCES)('%#: a sentence', (event, sentence) => {
    expect(webhookEventOf(event).summary).toBe(`Loans: ${sentence}`)
  })

  test('there is a sentence for each type', () => {
    expect(new Set(SENTENCES.map(([{ type }]) => type))).toEqual(new Set(EVENT_TYPES))
  })

  test('names of people cannot become links, mentions or markup', () => {
    const event = webhookEventOf(
      told('release_cancelled', {
        actor: { type: 'user', id: 'u', name: '<!channel> *Ann*' },
        release: { ...RELEASE, title: '[here](https://evil.example)' },
      }),
    )
    expect(JSON.parse(bodyOf('slack', 'm1', event))).toEqual({
      text: 'Loans: &lt;!channel&gt; *Ann* cancelled Release #12 “[here](https://evil.example)”.',
    })
    const card = JSON.parse(bodyOf('teams', 'm1', event))
    expect(card.attachments[0].content.body[0].text).toBe(
      String.raw`Loans: \<!channel\> \*Ann\* cancelled Release \#12 “\[here\]\(https://evil.example\)”.`,
    )
  })

  test('programs get ids, names and the data of the event', () => {
    const event = webhookEventOf(told('server_state', { environment: 'prod', server_id: 's1', data: { to: 'live' } }))
    expect(JSON.parse(bodyOf('json', 'm1', event))).toEqual({
      type: 'server_state',
      timestamp: '2026-11-22T10:00:00.000Z',
      data: {
        org_id: 'o1',
        project_id: 'p1',
        project_name: 'Loans',
        release_id: 'r1',
        number: 12,
        title: 'Raise limits',
        kind: 'release',
        status: 'executing',
        event_id: 3,
        execution_id: null,
        environment: 'prod',
        server_id: 's1',
        actor: { type: 'user', id: 'u1', name: 'Ann' },
        data: { to: 'live' },
      },
    })
  })

  test.each(EVENT_TYPES)('%s is an event of CloudEvents around the same data', (type) => {
    const event = webhookEventOf(told(type))
    const body = bodyOf('cloudevents', 'm1', event)
    expect(JSON.parse(body)).toEqual({
      specversion: '1.0',
      id: 'm1',
      source: '/orgs/o1/projects/p1',
      type: `engine.${type.replace('_', '.')}`,
      subject: 'r1',
      time: '2026-11-22T10:00:00.000Z',
      datacontenttype: 'application/json',
      data: JSON.parse(bodyOf('json', 'm1', event)),
    })
    expect(contentTypeOf(body)).toBe('application/cloudevents+json')
    for (const other of ['json', 'slack', 'teams'] as const)
      expect(contentTypeOf(bodyOf(other, 'm1', event))).toBe('application/json')
  })
})
