import { tableKeys } from '@engine/expression'
import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { ManagedList } from '../frame/managed-list.tsx'
import { IntegrationTabs } from '../frame/page-tabs.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { useIntegrationTexts } from '../integrations/integration-texts.ts'
import { WebhookDeliveries } from '../integrations/webhook-deliveries.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Box } from '../ui/dialog.tsx'
import { FormBox } from '../ui/form.tsx'
import { Empty } from '../ui/states.tsx'

type Webhook = components['schemas']['Webhook']
const WEBHOOKS = '/api/v1/orgs/{oid}/projects/{pid}/webhooks'
const WEBHOOK = `${WEBHOOKS}/{id}` as const

/** The webhooks of a project: their events, formats and messages. */
export function WebhooksPage() {
  const { webhooks: texts } = useIntegrationTexts()
  const { releases } = useTexts()
  const path = useIds()
  const list = useList(WEBHOOKS, { path })
  const remove = useSend('delete', WEBHOOK, [WEBHOOKS])
  const [shown, setShown] = useState<Webhook>()
  const eventsOf = ({ events }: Webhook) => {
    const [first, ...others] = events
    if (first === undefined || events.includes('*')) return texts.allEvents
    const name = first === '*' ? texts.allEvents : releases.types[first]
    return others.length === 0 ? name : texts.severalEvents(name, others.length)
  }
  return (
    <ManagedList
      right="project.manage"
      texts={texts}
      tabs={<IntegrationTabs />}
      list={{ ...list, items: list.items?.map((one) => ({ ...one, name: hostOf(one.url) })) }}
      columns={[
        { title: texts.address, cell: ({ url }) => <code>{url}</code> },
        { title: texts.events, cell: eventsOf },
        { title: texts.format, cell: ({ format }) => texts.formats[format] },
        {
          title: texts.state,
          cell: ({ enabled }) => (
            <span className="tag" data-tone={enabled ? 'ok' : undefined}>
              {enabled ? texts.on : texts.off}
            </span>
          ),
        },
        {
          title: texts.deliveries,
          cell: (webhook) => (
            <PermissionButton right="project.read" kind="quiet" run={() => setShown(webhook)}>
              {texts.deliveries}
            </PermissionButton>
          ),
        },
      ]}
      empty={<Empty picture="signal" title={texts.none} text={texts.noneText} />}
      form={(webhook, close) => <WebhookBox webhook={webhook} close={close} />}
      remove={({ id }) => remove.mutateAsync({ path: { ...path, id } })}
    >
      {shown !== undefined && (
        <Box title={texts.deliveriesOf(hostOf(shown.url))} isWide close={() => setShown(undefined)}>
          <WebhookDeliveries id={shown.id} />
        </Box>
      )}
    </ManagedList>
  )
}

/** The displayed name of a receiver: its path may be a secret. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)

function WebhookBox({ webhook, close }: { readonly webhook: Webhook | undefined; readonly close: () => void }) {
  const { webhooks: texts } = useIntegrationTexts()
  const { releases } = useTexts()
  const path = useIds()
  const make = useSend('post', WEBHOOKS, [WEBHOOKS])
  const change = useSend('put', WEBHOOK, [WEBHOOKS])
  const [secret, setSecret] = useState<string>()
  if (secret !== undefined)
    return (
      <Box title={texts.made} close={close}>
        <p>{texts.once}</p>
        <CodeBlock text={secret} label={texts.made} />
      </Box>
    )
  return (
    <FormBox
      title={webhook === undefined ? texts.make : texts.change}
      close={close}
      fields={[
        { name: 'url', label: texts.address, hint: texts.addressHint },
        {
          name: 'format',
          label: texts.format,
          kind: 'select',
          options: tableKeys(texts.formats).map((value) => ({ value, label: texts.formats[value] })),
        },
        { name: 'enabled', label: texts.enabled, kind: 'flag' },
        {
          name: 'events',
          label: texts.events,
          kind: 'checks',
          options: [
            { value: '*' as const, label: texts.allEvents },
            ...tableKeys(releases.types).map((value) => ({ value, label: releases.types[value] })),
          ],
        },
      ]}
      initial={
        webhook === undefined
          ? { enabled: true, events: ['*'] }
          : { url: webhook.url, format: webhook.format, enabled: webhook.enabled, events: webhook.events }
      }
      submit={webhook === undefined ? texts.make : texts.change}
      send={async ({ url, format, enabled, events }) => {
        const body = { url, format, enabled, events }
        if (webhook === undefined) return setSecret((await make.mutateAsync({ path, body })).secret)
        await change.mutateAsync({ path: { ...path, id: webhook.id }, body })
        return close()
      }}
    />
  )
}
