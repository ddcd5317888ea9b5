import '../styles/environment-name.css'

/** The position of an environment on the way to production. */
export type EnvironmentWeight = 'first' | 'middle' | 'last'

/** The weight of the environment at an index. */
export const weightAt = (index: number, count: number): EnvironmentWeight =>
  index === count - 1 && count > 1 ? 'last' : index === 0 ? 'first' : 'middle'

/** An environment by name, with the mark of its weight. */
export function EnvironmentName({ name, weight }: { readonly name: string; readonly weight: EnvironmentWeight }) {
  return (
    <span className="row">
      <span className="env-mark" data-weight={weight} aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      {name}
    </span>
  )
}
