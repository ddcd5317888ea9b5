import type { components } from '../api/schema.ts'
import { useTexts } from '../texts/texts.tsx'

type Status = components['schemas']['Server']['status']
const TONES: Readonly<Record<Status, string>> = { online: 'ok', degraded: 'warn', offline: 'bad' }

/** How an engine is, by colour and word. */
export function EngineStatus({ status }: { readonly status: Status }) {
  const { engines: texts } = useTexts()
  return (
    <span className="tag" data-tone={TONES[status]}>
      {texts.statuses[status]}
    </span>
  )
}
