import { createSimulation } from 'contact-dynamics';
import 'contact-dynamics/element';
import scene from '../scene.json';

const simulation = await createSimulation(scene, { backend: 'cpu' });
await simulation.step(20);
const { contacts } = await simulation.read();
simulation.dispose();
document.body.dataset.contacts = contacts.count;

const element = document.createElement('contact-dynamics');
Object.assign(element, { scene, playing: true });
element.setAttribute('backend', 'cpu');
document.body.append(element);
