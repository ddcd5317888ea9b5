import '../styles/environment.css'

/** The importance of an environment: the first is outlined, the last solid, those between tinted. */
export type EnvironmentWeight = 'first' | 'middle' | 'last'

/** The weight of an environment of a project, whose environments are in the order of releases. */
export function weightOf(name: string, environments: readonly { readonly name: string }[]): EnvironmentWeight {
  const index = environments.findIndex((one) => one.name === name)
  if (index > 0 && index === environments.length - 1) return 'last'
  return index <= 0 ? 'first' : 'middle'
}

/** An environment by name, with its initial on a background that is darker for more important environments. */
export function EnvironmentTag({ name, weight }: { readonly name: string; readonly weight: EnvironmentWeight }) {
  return (
    <span className="environment" data-weight={weight}>
      <span aria-hidden="true">{(name.match(/\p{L}/u)?.[0] ?? name.slice(0, 1)).toUpperCase()}</span>
      {name}
    </span>
  )
}
