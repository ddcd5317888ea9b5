import { isList, isObject } from '@engine/expression'
import type { StreamState } from '../api/event-stream.ts'
import type { ReleaseEvent } from '../api/release-events.ts'
import { useActorName } from '../frame/author.tsx'
import { codeOf } from '../releases/results.ts'
import { useNumbers, useTexts } from '../texts/texts.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { type Execution, readableEvents, type ReadableEvent } from './progress.ts'
import { useClock, useRolloutTexts } from './rollout-texts.ts'

const ICONS: Readonly<Partial<Record<ReleaseEvent['type'], IconName>>> = {
  preflight_passed: 'ok',
  environment_completed: 'ok',
  execution_completed: 'ok',
  rollback_completed: 'ok',
  stage_started: 'onward',
  stage_passed: 'onward',
  environment_started: 'onward',
  execution_started: 'play',
  execution_resumed: 'play',
  execution_paused: 'pause',
  execution_failed: 'alert',
  rollback_failed: 'alert',
  execution_cancelled: 'x',
  rollback_started: 'retry',
  stage_verdict: 'shield',
  server_state: 'server',
}

/** The events of an execution as sentences, newest first. */
export function Events({
  events,
  execution,
  stream,
}: {
  readonly events: readonly ReleaseEvent[]
  readonly execution: Execution
  readonly stream: StreamState
}) {
  const { releases } = useTexts()
  const texts = useRolloutTexts()
  const clock = useClock(true)
  const sentence = useSentence(execution)
  return (
    <section className="card" aria-label={texts.happened}>
      <header>
        <h2>{texts.happened}</h2>
        <span className="grow" />
        {stream === 'lost' ? (
          <span className="tag" data-tone="warn" role="status">
            <Icon name="alert" size={12} />
            {releases.lost}
          </span>
        ) : (
          stream === 'live' && (
            <span className="tag">
              <span className="content-dot" data-side="ok" aria-hidden="true" />
              {texts.streaming}
            </span>
          )
        )}
      </header>
      <ol className="events" tabIndex={0} aria-label={releases.events} aria-live="polite">
        {readableEvents(events).map((readable) => {
          const { event } = readable
          const tone = toneOf(event)
          return (
            <li key={event.id} data-tone={tone}>
              <time className="tnum" dateTime={event.at}>
                {clock(event.at)}
              </time>
              <Icon name={tone === 'warn' || tone === 'bad' ? 'alert' : (ICONS[event.type] ?? 'right')} size={14} />
              <span>{sentence(readable)}</span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

function toneOf({ type, data }: ReleaseEvent): 'ok' | 'warn' | 'bad' | undefined {
  if (type === 'stage_verdict')
    return data['decision'] === 'hold' ? 'warn' : data['decision'] === 'rollback' ? 'bad' : undefined
  if (type === 'execution_failed' || type === 'rollback_failed') return 'bad'
  if (type === 'server_state') return data['to'] === 'failed' ? 'bad' : data['to'] === 'skipped' ? 'warn' : undefined
  return type.endsWith('_completed') || type === 'preflight_passed' ? 'ok' : undefined
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The expected changes of results in the first event of an execution. */
const expectedIn = (value: unknown): string =>
  (isList(value) ? value.filter(isObject) : [])
    .map(({ from, to }) => `${codeOf(textOf(from))} → ${textOf(to)}`)
    .join(', ')

/** Describes an event in one sentence. */
function useSentence(execution: Execution): (readable: ReadableEvent) => string {
  const { releases } = useTexts()
  const texts = useRolloutTexts()
  const { number } = useNumbers()
  const clock = useClock()
  const nameOf = useActorName()
  return ({ event: { type, data, actor, server_id: server, environment = '' }, earlier, percent, after }) => {
    const who = actor.type === 'user' ? nameOf(actor) : ''
    const reason = texts.reasons[textOf(data['reason'])] ?? textOf(data['reason'])
    switch (type) {
      case 'execution_started':
        return texts.sentences.started(who, expectedIn(data['expected']))
      case 'preflight_passed':
        return texts.sentences.preflight(numberOf(data['servers']), numberOf(data['skipped']))
      case 'environment_started':
        return texts.sentences.environmentStarted(environment)
      case 'environment_completed':
        return texts.sentences.environmentCompleted(environment)
      case 'stage_started':
        return texts.sentences.stageStarted(numberOf(data['percent']), environment, clock(textOf(data['ends_at'])))
      case 'stage_passed':
        return texts.sentences.stagePassed(numberOf(data['index']) + 1, who)
      case 'stage_verdict': {
        const requests = isObject(data['requests']) ? data['requests'] : {}
        const counts = texts.sentences.verdict(
          percent ?? 0,
          number(numberOf(requests['canary'])),
          number(numberOf(requests['stable'])),
        )
        const isCalm = data['decision'] === 'continue'
        const verdict = isCalm ? texts.sentences.noAlarm : texts.sentences.because(reason)
        return `${counts}${verdict} ${earlier > 0 ? texts.sentences.earlier(earlier) : ''}`
      }
      case 'server_state': {
        const name = execution.servers.find(({ server_id: id }) => id === server)?.name ?? ''
        const to = textOf(data['to'])
        const error = textOf(data['error'])
        if (to === 'live')
          return texts.sentences.received(name, after === undefined ? undefined : (after / 1000).toFixed(1))
        const states: Readonly<Record<string, string>> = releases.servers
        return texts.sentences.engine(name, states[to] ?? to, error)
      }
      default:
        return texts.sentences.other(
          releases.types[type],
          who,
          reason || texts.reasons[textOf(data['error'])] || textOf(data['error']),
        )
    }
  }
}
