import type { components } from '../api/schema.ts'
import { useEngineTexts } from '../engines/engine-texts.ts'

type Server = components['schemas']['Server']
const TONES: Readonly<Record<Server['status'], string>> = { online: 'ok', degraded: 'warn', offline: 'bad' }
/** Colours of identities that need attention. */
const IDENTITY_TONES = { failed: 'bad', unsupported: 'warn' } as const

/** The status of an engine, and the verification of its identity, by colour and word. */
export function EngineStatus({ status, identity }: Pick<Server, 'status' | 'identity'>) {
  const texts = useEngineTexts()
  return (
    <>
      <span className="tag" data-tone={TONES[status]}>
        {texts.statuses[status]}
      </span>
      {(identity === 'failed' || identity === 'unsupported') && (
        <span className="tag" data-tone={IDENTITY_TONES[identity]}>
          {texts.identities[identity]}
        </span>
      )}
    </>
  )
}
