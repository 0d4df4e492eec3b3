import { setImmediate as nextTurn } from 'node:timers/promises';
import { Admission } from '../../src/common/admission';

const request = () => ({ underWay: false, raw: { socket: { destroyed: false } } });

describe('the way in', () => {
  it('is kept for those who still wait', async () => {
    let room = 0;
    const admission = new Admission(() => room);
    const admitted: string[] = [];
    const refused = jest.fn();
    const [gone, patient] = [request(), request()];
    admission.ask(gone, () => admitted.push('gone'), refused);
    admission.ask(patient, () => admitted.push('patient'), refused);
    gone.raw.socket.destroyed = true;
    room = 1;
    while (admitted.length === 0) await nextTurn();
    expect(admitted).toEqual(['patient']);
    expect([gone.underWay, patient.underWay]).toEqual([false, true]);
    expect(refused).not.toHaveBeenCalled();
  });
});
