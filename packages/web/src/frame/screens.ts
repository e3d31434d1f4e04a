/** The screens that the navigation and the commands name, in this order. */
export const SCREENS = [
  ['/traces', 'Traces'],
  ['/evaluations', 'Evaluations'],
] as const
