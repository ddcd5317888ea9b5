import { quote } from '@engine/expression'
import { DiscardPolicy, RetentionPolicy, type StreamConfig } from '@nats-io/jetstream'

/** A stream of this name exists, was created by another program, and is unsuitable. */
class UnusableStream extends Error {}

/** What makes a stream useless for a purpose, and how the log calls it. */
interface Requirement {
  readonly breaks: (config: StreamConfig) => boolean
  readonly reason: string
}

const ALWAYS: readonly Requirement[] = [
  { breaks: ({ mirror }) => mirror !== undefined, reason: 'it is a mirror, to which nothing can be published' },
  { breaks: ({ sealed }) => sealed, reason: 'it is sealed' },
  { breaks: ({ no_ack: isSilent }) => isSilent === true, reason: 'it acknowledges nothing (`no_ack`)' },
  {
    breaks: ({ retention }) => retention !== RetentionPolicy.Limits,
    reason: 'its retention is not by limits, so that one reader takes events from the others',
  },
]

/** For the event stream. Readers load events that it drops early from the state. */
export const EVENTS: readonly Requirement[] = [
  ...ALWAYS,
  {
    breaks: ({ discard, max_msgs: messages, max_bytes: bytes }) =>
      discard === DiscardPolicy.New && (messages > 0 || bytes > 0),
    reason: 'it refuses new events when it is full (`discard: new` with `max_msgs` or `max_bytes`)',
  },
  {
    breaks: ({ max_msg_size: size }) => size !== undefined && size > 0 && size < 65_536,
    reason: 'its `max_msg_size` is below 65536 bytes',
  },
]

/** For the stream of the bucket. Entries that it drops are lost to starting readers. */
export const STATE: readonly Requirement[] = [
  ...ALWAYS,
  { breaks: ({ max_age: age }) => age > 0, reason: 'it forgets states after some time (`max_age`)' },
  {
    breaks: ({ discard, max_msgs: messages, max_bytes: bytes }) =>
      discard === DiscardPolicy.Old && (messages > 0 || bytes > 0),
    reason: 'it forgets states when it is full (`discard: old` with `max_msgs` or `max_bytes`)',
  },
  {
    breaks: ({ max_msg_size: size }) => size !== undefined && size > 0 && size < 65_536,
    reason: 'its `max_msg_size` is below 65536 bytes',
  },
]

/** Throws when it breaks one of them; the message names them all. */
export function checkSettings(config: StreamConfig, requirements: readonly Requirement[]): void {
  const reasons = requirements.filter(({ breaks }) => breaks(config)).map(({ reason }) => reason)
  if (reasons.length > 0)
    throw new UnusableStream(
      `the stream ${quote(config.name)} cannot be used: ${reasons.join('; ')}. Change or delete it`,
    )
}
