import { useTexts } from '../texts/texts.tsx'
import { engineGroups, type ServerState } from './progress.ts'
import { useRolloutTexts } from './rollout-texts.ts'

const TONES: Readonly<Record<ServerState['status'], string>> = {
  live: 'ok',
  failed: 'bad',
  rolled_back: 'warn',
  skipped: '',
  pending: '',
  delivering: 'accent',
  verifying: 'accent',
}

/** The engines of an execution, by content and state. */
export function EnginesByContent({ servers }: { readonly servers: readonly ServerState[] }) {
  const { releases } = useTexts()
  const texts = useRolloutTexts()
  return (
    <table className="list stacked" aria-label={texts.engines}>
      <thead>
        <tr>
          <th scope="col">{releases.server}</th>
          <th scope="col">{releases.status}</th>
          <th scope="col">{releases.digest}</th>
        </tr>
      </thead>
      {engineGroups(servers).map(({ environment, status, digest, servers: group }) => (
        <tbody key={`${environment} ${status} ${digest}`}>
          <tr className="group">
            <th scope="rowgroup" colSpan={3}>
              {texts.engineGroup[status](group.length, environment)}
            </th>
          </tr>
          {group.map(({ server_id: id, name, canary_only: isOnly, error }) => (
            <tr key={id}>
              <td data-title={releases.server}>
                {name} {isOnly && <span className="muted">{texts.canaryOnly}</span>}
              </td>
              <td data-title={releases.status}>
                <span className="tag" data-tone={TONES[status]}>
                  {releases.servers[status]}
                </span>{' '}
                {error}
              </td>
              <td data-title={releases.digest}>
                <code>{digest?.slice(0, 8)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  )
}
