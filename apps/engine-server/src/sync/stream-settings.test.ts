import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { checkSettings, EVENTS, STATE } from './stream-settings.ts'

/** As the writer makes them. */
const MADE = {
  name: 's',
  subjects: ['engine.rules.>'],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.Old,
  max_msgs: -1,
  max_bytes: -1,
  max_msg_size: -1,
  max_age: 0,
  num_replicas: 1,
  sealed: false,
} as StreamConfig

const refusal = (settings: Partial<StreamConfig>, requirements: typeof EVENTS) => {
  try {
    checkSettings({ ...MADE, ...settings }, requirements)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const cannot = (...reasons: readonly string[]) =>
  `the stream \`s\` cannot be used: ${reasons.join('; ')}. Change or delete it`

const MIRROR = 'it is a mirror, to which nothing can be published'
const SEALED = 'it is sealed'
const NO_ACK = 'it acknowledges nothing (`no_ack`)'
const QUEUE = 'its retention is not by limits, so that one reader takes events from the others'
const SMALL = 'its `max_msg_size` is below 65536 bytes'
const REFUSES = 'it refuses new events when it is full (`discard: new` with `max_msgs` or `max_bytes`)'
const FORGETS = 'it forgets states when it is full (`discard: old` with `max_msgs` or `max_bytes`)'
const AGES = 'it forgets states after some time (`max_age`)'

describe('a stream is refused by name for', () => {
  test.each<[what: string, settings: Partial<StreamConfig>, events: string | undefined, state: string | undefined]>([
    ['nothing, as the writer makes it', {}, undefined, undefined],
    ['a mirror', { mirror: { name: 'other' } }, MIRROR, MIRROR],
    ['a seal', { sealed: true }, SEALED, SEALED],
    ['no answers', { no_ack: true }, NO_ACK, NO_ACK],
    ['answers that are not refused', { no_ack: false }, undefined, undefined],
    ['a work queue', { retention: RetentionPolicy.Workqueue }, QUEUE, QUEUE],
    ['interest', { retention: RetentionPolicy.Interest }, QUEUE, QUEUE],
    ['messages that are too small', { max_msg_size: 65_535 }, SMALL, SMALL],
    ['messages of the least size', { max_msg_size: 65_536 }, undefined, undefined],
    ['an age', { max_age: 1 }, undefined, AGES],
    ['new events that are discarded', { discard: DiscardPolicy.New, max_msgs: 10 }, REFUSES, undefined],
    ['new bytes that are discarded', { discard: DiscardPolicy.New, max_bytes: 10 }, REFUSES, undefined],
    ['new events that are discarded at no limit', { discard: DiscardPolicy.New }, undefined, undefined],
    ['old events that are discarded', { max_msgs: 10 }, undefined, FORGETS],
    ['old bytes that are discarded', { max_bytes: 10 }, undefined, FORGETS],
    ['memory as storage, and several copies', { storage: StorageType.Memory, num_replicas: 3 }, undefined, undefined],
  ])('%s', (_what, settings, events, state) => {
    expect([refusal(settings, EVENTS), refusal(settings, STATE)]).toEqual(
      [events, state].map((reason) => (reason === undefined ? undefined : cannot(reason))),
    )
  })

  test('all faults, in one message', () => {
    const settings = { mirror: { name: 'other' }, no_ack: true, retention: RetentionPolicy.Workqueue, max_msg_size: 1 }
    expect(refusal(settings, EVENTS)).toBe(cannot(MIRROR, NO_ACK, QUEUE, SMALL))
    expect(refusal({ max_age: 1, max_bytes: 1 }, STATE)).toBe(cannot(AGES, FORGETS))
  })
})
