import { isObject } from '@engine/expression'
import type { ReleaseEvent } from '../api/release-events.ts'
import { useNumbers, useTexts, useTime } from '../texts/texts.tsx'
import { type Execution, readableEvents } from './progress.ts'
import { useRolloutTexts } from './rollout-texts.ts'

/** The events of an execution, newest first. */
export function Events({
  events,
  execution,
}: {
  readonly events: readonly ReleaseEvent[]
  readonly execution: Execution
}) {
  const { releases } = useTexts()
  const texts = useRolloutTexts()
  const time = useTime()
  const detail = useDetail(execution)
  return (
    <ol className="events" tabIndex={0} aria-label={releases.events} aria-live="polite">
      {readableEvents(events).map(({ event, earlier }) => (
        <li key={event.id}>
          <span className="muted tnum">{time(event.at)}</span> {releases.types[event.type]}{' '}
          {event.type !== 'server_state' && event.environment}{' '}
          <span className="muted">
            {detail(event)} {earlier > 0 && texts.moreVerdicts(earlier)}
          </span>
        </li>
      ))}
    </ol>
  )
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The details of an event in words. */
function useDetail(execution: Execution): (event: ReleaseEvent) => string {
  const { releases } = useTexts()
  const texts = useRolloutTexts()
  const { number } = useNumbers()
  const time = useTime()
  return ({ type, data, actor, server_id: server, environment }) => {
    switch (type) {
      case 'preflight_passed':
        return texts.preflight(numberOf(data['servers']), numberOf(data['skipped']))
      case 'stage_started':
        return texts.stageStarted(numberOf(data['index']) + 1, numberOf(data['percent']), time(textOf(data['ends_at'])))
      case 'stage_passed':
        return texts.stagePassed(numberOf(data['index']) + 1)
      case 'stage_verdict': {
        const [requests, errors] = [data['requests'], data['errors']].map((one) => (isObject(one) ? one : {}))
        const reason = textOf(data['reason'])
        const line = texts.verdictLine(
          number(numberOf(requests?.['canary'])),
          number(numberOf(errors?.['canary'])),
          number(numberOf(errors?.['stable'])),
        )
        return `${texts.reasons[reason] ?? reason} ${line}`
      }
      case 'server_state': {
        const name = execution.servers.find(({ server_id: id }) => id === server)?.name ?? ''
        const states: Readonly<Record<string, string>> = releases.servers
        return [name, states[textOf(data['to'])], environment, textOf(data['ruleset']), textOf(data['error'])]
          .filter((part) => part !== undefined && part !== '')
          .join(' · ')
      }
      default:
        return [actor.type === 'user' ? actor.name : '', textOf(data['error']), textOf(data['reason'])]
          .filter((part) => part !== '')
          .join(' · ')
    }
  }
}
