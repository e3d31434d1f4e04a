/** The screens that the navigation and the commands name, in this order. */
export const SCREENS = [
  ['/traces', 'Traces'],
  ['/playground', 'Playground'],
  ['/testsets', 'Testsets'],
  ['/evaluations', 'Evaluations'],
  ['/settings', 'Settings'],
] as const
