import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { ListTable } from '../ui/list.tsx'
import { Empty, Refusal } from '../ui/states.tsx'
import { useIntegrationTexts } from './integration-texts.ts'

type Delivery = components['schemas']['Delivery']
const WEBHOOK = '/api/v1/orgs/{oid}/projects/{pid}/webhooks/{id}'
const DELIVERIES = `${WEBHOOK}/deliveries` as const
/** Milliseconds between two polls: attempts follow each other within seconds at first. */
const POLL_INTERVAL_MS = 5000

/** The messages of a webhook, the newest first; each can be sent again, and a test message can be sent. */
export function WebhookDeliveries({ id }: { readonly id: string }) {
  const { webhooks: texts } = useIntegrationTexts()
  const { releases } = useTexts()
  const time = useTime()
  const path = { ...useIds(), id }
  const list = useList(DELIVERIES, { path }, { refetchInterval: POLL_INTERVAL_MS })
  const trial = useSend('post', `${WEBHOOK}/test`, [DELIVERIES])
  const again = useSend('post', `${DELIVERIES}/{did}/redeliver`, [DELIVERIES])
  const nameOf = (event: string) => {
    const names: Readonly<Record<string, string>> = { ...releases.types, webhook_test: texts.trialEvent }
    return names[event] ?? event
  }
  const resultOf = ({ status, attempt, response_status: answer }: Delivery) => {
    if (status === 'success') return texts.success(answer ?? 200)
    if (status === 'failed') return texts.failed(answer)
    return attempt === 0 ? texts.first : texts.waiting(attempt)
  }
  return (
    <div className="stack">
      <div>
        <PermissionButton right="project.manage" run={() => trial.mutate({ path })}>
          {texts.trial}
        </PermissionButton>
      </div>
      <Refusal error={trial.error ?? again.error} />
      <ListTable
        name={texts.deliveries}
        list={list}
        keyOf={({ id: did }) => did}
        columns={[
          { title: texts.event, cell: ({ event }) => nameOf(event) },
          { title: texts.at, cell: ({ at }) => <span className="tnum">{time(at)}</span> },
          {
            title: texts.result,
            cell: (delivery) => (
              <span className="tag" data-tone={TONES[delivery.status]}>
                {resultOf(delivery)}
              </span>
            ),
          },
          {
            title: texts.next,
            cell: ({ next_at: next }) => <span className="muted tnum">{next === null ? '–' : time(next)}</span>,
          },
          {
            title: texts.again,
            kind: 'actions',
            cell: ({ id: did }) => (
              <PermissionButton
                right="project.manage"
                kind="quiet"
                run={() => again.mutate({ path: { ...path, did } })}
              >
                {texts.again}
              </PermissionButton>
            ),
          },
        ]}
        empty={<Empty picture="tray" title={texts.noDeliveries} text={texts.noDeliveriesText} />}
      />
    </div>
  )
}

const TONES: Readonly<Record<Delivery['status'], string>> = { pending: 'warn', success: 'ok', failed: 'bad' }
