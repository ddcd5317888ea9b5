import { useState } from 'react'
import { useSend } from '../api/data.ts'
import { EnvironmentCards, GuardSentences } from '../environments/environment-cards.tsx'
import { useEnvironmentTexts } from '../environments/environment-texts.ts'
import { EnvironmentTabs } from '../frame/page-tabs.tsx'
import { MakeButton } from '../frame/permission-button.tsx'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import '../styles/environments.css'
import { FormBox } from '../ui/form.tsx'
import { useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Pending } from '../ui/states.tsx'

const ENVIRONMENTS = '/api/v1/orgs/{oid}/projects/{pid}/environments'

/** The environments of a project in the order of releases. */
export function EnvironmentsPage() {
  const texts = useEnvironmentTexts()
  const found = useEnvironments()
  const [isMaking, setMaking] = useState(false)
  const items = found.data?.items
  const last = items?.findLast(({ canary }) => canary.stages.length > 0)
  return (
    <Page
      title={texts.title}
      text={texts.text}
      tabs={<EnvironmentTabs />}
      actions={<MakeButton right="environment.manage" label={texts.make} run={() => setMaking(true)} />}
    >
      {items === undefined ? (
        <div className="card">
          <Pending of={found} />
        </div>
      ) : items.length === 0 ? (
        <div className="card">
          <Empty picture="road" title={texts.empty} text={texts.emptyText} />
        </div>
      ) : (
        <EnvironmentCards environments={items} />
      )}
      {last !== undefined && <GuardSentences canary={last.canary} name={last.name} />}
      {isMaking && <MakeBox close={() => setMaking(false)} />}
    </Page>
  )
}

function MakeBox({ close }: { readonly close: () => void }) {
  const texts = useEnvironmentTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const make = useSend('post', ENVIRONMENTS, [ENVIRONMENTS])
  return (
    <FormBox
      title={texts.make}
      close={close}
      fields={[
        { name: 'name', label: texts.name },
        { name: 'requires_release', label: texts.requiresRelease, kind: 'flag' },
      ]}
      initial={{ requires_release: true }}
      submit={texts.make}
      send={async (body) => {
        const { name } = await make.mutateAsync({ path: { oid, pid }, body })
        go(paths.environment(oid, pid, name))
      }}
    />
  )
}
