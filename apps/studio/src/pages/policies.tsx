import { useList, useSend } from '../api/data.ts'
import { ManagedList } from '../frame/managed-list.tsx'
import { EnvironmentTabs } from '../frame/page-tabs.tsx'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { FreezeCalendar } from '../policies/calendar.tsx'
import { MEASURES, type Policy, requestOf, requirementsOf, valuesOf } from '../policies/policy.ts'
import { usePolicyTexts } from '../policies/policy-texts.ts'
import '../styles/policies.css'
import { FormBox } from '../ui/form.tsx'
import { Empty } from '../ui/states.tsx'

const POLICIES = '/api/v1/orgs/{oid}/projects/{pid}/release-policies'
const CALENDAR = '/api/v1/orgs/{oid}/projects/{pid}/freeze-windows'

/** The release rules of a project, and the calendar of its freeze windows. */
export function PoliciesPage() {
  const texts = usePolicyTexts()
  const { oid, pid } = useIds()
  const list = useList(POLICIES, { path: { oid, pid } })
  const remove = useSend('delete', `${POLICIES}/{id}`, [POLICIES, CALENDAR])
  return (
    <ManagedList
      right="project.manage"
      texts={texts}
      tabs={<EnvironmentTabs />}
      list={list}
      columns={[
        {
          title: texts.name,
          cell: ({ name, enabled }) => (
            <>
              <b>{name}</b> {!enabled && <span className="tag">{texts.off}</span>}
            </>
          ),
        },
        {
          title: texts.environments,
          cell: ({ match: { environments } }) => (environments.length === 0 ? texts.all : environments.join(', ')),
        },
        {
          title: texts.requires,
          cell: (policy) => (
            <ul className="requirements">
              {requirementsOf(policy, texts).map((requirement) => (
                <li key={requirement}>{requirement}</li>
              ))}
            </ul>
          ),
        },
        { title: texts.priority, kind: 'number', cell: ({ priority }) => priority },
      ]}
      empty={<Empty picture="tray" title={texts.none} text={texts.noneText} />}
      form={(policy, close) => <PolicyBox policy={policy} close={close} />}
      remove={({ id }) => remove.mutateAsync({ path: { oid, pid, id } })}
    >
      <FreezeCalendar />
    </ManagedList>
  )
}

function PolicyBox({ policy, close }: { readonly policy: Policy | undefined; readonly close: () => void }) {
  const texts = usePolicyTexts()
  const { oid, pid } = useIds()
  const make = useSend('post', POLICIES, [POLICIES, CALENDAR])
  const change = useSend('put', `${POLICIES}/{id}`, [POLICIES, CALENDAR])
  const environments = useEnvironments().data?.items ?? []
  const roles = useList('/api/v1/orgs/{oid}/roles', { path: { oid } }).items ?? []
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const named = (names: readonly string[]) => names.map((value) => ({ value, label: value }))
  // A rule may also name actions, which are kept.
  const roleNames = [...new Set([...roles.map(({ name }) => name), ...(policy?.approvers.roles ?? [])])]
  const initial = valuesOf(policy, zone)
  const modes = (['none', 'warn', 'enforce'] as const).map((value) => ({ value, label: texts.contractModes[value] }))
  const share = (name: (typeof MEASURES)[number]) =>
    ({
      name,
      label: texts.coverageOf(texts.coverage[name]),
      kind: 'number',
      pointer: `/require_coverage/${name}`,
      isOptional: true,
    }) as const
  return (
    <FormBox
      title={policy === undefined ? texts.make : texts.change}
      close={close}
      fields={[
        { name: 'name', label: texts.name },
        {
          name: 'match',
          label: texts.environments,
          hint: texts.environmentsHint,
          kind: 'checks',
          options: named(environments.map(({ name }) => name)),
          isOptional: true,
        },
        { name: 'min_count', label: texts.minCount, kind: 'number', pointer: '/approvers/min_count' },
        {
          name: 'roles',
          label: texts.roles,
          pointer: '/approvers/roles',
          hint: texts.rolesHint,
          kind: 'checks',
          options: named(roleNames),
          isOptional: true,
        },
        { name: 'exclude_authors', label: texts.excludeAuthors, kind: 'flag' },
        { name: 'auto_run_tests', label: texts.runTests, kind: 'flag' },
        { name: 'require_contract_mode', label: texts.contractMode, kind: 'select', options: modes },
        { name: 'forbid', label: texts.forbid, hint: texts.forbidHint, kind: 'area', isOptional: true },
        { name: 'max_changed', label: texts.maxChanged, kind: 'number', isOptional: true },
        share('branches'),
        share('conditions'),
        share('boundaries'),
        share('mutants'),
        { name: 'cron', label: texts.cron, pointer: '/freeze_window/cron', hint: texts.cronHint, isOptional: true },
        {
          name: 'duration',
          label: texts.duration,
          pointer: '/freeze_window/duration',
          hint: texts.durationHint,
          isOptional: true,
        },
        { name: 'time_zone', label: texts.zone, pointer: '/freeze_window/time_zone', isOptional: true },
        { name: 'priority', label: texts.priority, hint: texts.priorityHint, kind: 'number' },
        { name: 'enabled', label: texts.enabled, kind: 'flag' },
      ]}
      initial={initial}
      submit={policy === undefined ? texts.make : texts.change}
      send={async (values) => {
        const body = requestOf(values)
        if (policy === undefined) await make.mutateAsync({ path: { oid, pid }, body })
        else await change.mutateAsync({ path: { oid, pid, id: policy.id }, body })
        close()
      }}
    />
  )
}
