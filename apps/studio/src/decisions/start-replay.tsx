import { useGet, useSend } from '../api/data.ts'
import { useIds } from '../frame/route-scope.ts'
import { FormBox } from '../ui/form.tsx'
import { useDecisionTexts } from './decision-texts.ts'

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
/** Maximum number of saves and of releases to choose from. */
const MAX_CHOICES = 30

interface StartReplayProps {
  /** The initially selected ruleset. */
  readonly ruleset: string
  /** Environments in which the ruleset is live. */
  readonly environments: readonly string[]
  readonly environment: string | undefined
  readonly close: () => void
  readonly started: () => void
}

/** Starts a job that replays all recorded decisions of a ruleset with a save or a release. */
export function StartReplay({ ruleset, environments, environment, close, started }: StartReplayProps) {
  const texts = useDecisionTexts()
  const { oid, pid } = useIds()
  const query = { limit: MAX_CHOICES }
  const saves = useGet(`${PROJECT}/rulesets/{name}/saves`, { path: { oid, pid, name: ruleset }, query }).data?.items
  const releases = useGet(`${PROJECT}/releases`, { path: { oid, pid }, query }).data?.items
  const make = useSend('post', `${PROJECT}/replays`, [`${PROJECT}/replays`])
  const newest = saves?.[0]
  if (newest === undefined || releases === undefined) return null
  const ofRuleset = releases.filter(({ rulesets }) => rulesets.some(({ name }) => name === ruleset))
  return (
    <FormBox
      title={texts.startReplayOf(ruleset)}
      close={close}
      fields={[
        {
          name: 'candidate',
          label: texts.candidate,
          kind: 'select',
          pointer: '/from_seq',
          options: [
            ...(saves ?? []).map(({ seq }) => ({ value: `save ${seq}`, label: texts.saveOf(seq) })),
            ...ofRuleset.map(({ id, number, title }) => ({ value: id, label: texts.releaseNamed(number, title) })),
          ],
        },
        {
          name: 'environment',
          label: texts.environment,
          kind: 'select',
          options: environments.map((name) => ({ value: name, label: name })),
        },
        { name: 'from', label: texts.decisionsFrom, hint: texts.decisionsFromHint, isOptional: true },
      ]}
      initial={{
        candidate: `save ${newest.seq}`,
        environment: environments.find((name) => name === environment) ?? environments.at(-1) ?? '',
      }}
      submit={texts.startReplay}
      send={async ({ candidate, environment: place, from }) => {
        const [, seq] = /^save (\d+)$/.exec(candidate) ?? []
        const begin = from.trim()
        const time = new Date(`${begin.replace(' ', 'T')}Z`)
        await make.mutateAsync({
          path: { oid, pid },
          body: {
            ruleset,
            environment: place,
            ...(seq === undefined ? { release_id: candidate } : { from_seq: Number(seq) }),
            ...(begin !== '' && { from: Number.isNaN(time.getTime()) ? begin : time.toISOString() }),
          },
        })
        started()
      }}
    >
      <p className="muted">{texts.startReplayText}</p>
    </FormBox>
  )
}
