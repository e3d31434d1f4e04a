import type { ReactNode } from 'react'

interface FactProps {
  name: string
  title?: string
  children: ReactNode
}

/** A figure of a trace or a span and its name, in a list of them. */
export const Fact = ({ name, title, children }: FactProps): ReactNode => (
  <div title={title}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
