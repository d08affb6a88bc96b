"""OpenMM: a box of water; forces and energy compared with those of its reference, in double precision and without OpenCL."""

import numpy as np
import openmm
from openmm import app, unit

from timing import check, steady

# A grid of molecules (0.31 nm apart), a little turned at random.
SIDE = 9
forces = app.ForceField("tip3p.xml")
topology = app.Topology()
chain = topology.addChain()
random = np.random.default_rng(1)
places = []
for cell in np.ndindex(SIDE, SIDE, SIDE):
    residue = topology.addResidue("HOH", chain)
    o = topology.addAtom("O", app.element.oxygen, residue)
    for name in ("H1", "H2"):
        topology.addBond(o, topology.addAtom(name, app.element.hydrogen, residue))
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    centre = np.array(cell) * 0.31
    places += [centre, centre + turn @ [0.09572, 0, 0], centre + turn @ [-0.023999, 0.092663, 0]]
box = SIDE * 0.31
topology.setPeriodicBoxVectors(np.eye(3) * box * unit.nanometer)
methods = [("PME", app.PME), ("reaction field", app.CutoffPeriodic)]


def simulation(method, platform):
    system = forces.createSystem(topology, nonbondedMethod=method, nonbondedCutoff=1.0 * unit.nanometer, constraints=app.HBonds)
    integrator = openmm.LangevinMiddleIntegrator(300 * unit.kelvin, 1 / unit.picosecond, 0.001 * unit.picosecond)
    integrator.setRandomNumberSeed(1)
    made = app.Simulation(topology, system, integrator, openmm.Platform.getPlatform(platform))
    made.context.setPositions(np.array(places) * unit.nanometer)
    return made


for name, method in methods:
    results = []
    for platform in ("OpenCL", "Reference"):
        made = simulation(method, platform)
        state = made.context.getState(getForces=True, getEnergy=True)
        results.append((state.getForces(asNumpy=True)._value, state.getPotentialEnergy()._value))
        if platform == "OpenCL":
            opencl = made
    check(f"forces, {name}", results[0][0], results[1][0], 2e-3)
    check(f"energy, {name}", results[0][1], results[1][1], 1e-3)
    opencl.minimizeEnergy(maxIterations=20)

    def work():
        opencl.step(20)
        opencl.context.getState(getEnergy=True)

    steady(f"20 steps, {name}", work, 2)
