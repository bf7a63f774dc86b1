"""Prints, as JSON, what VTK reads of .vtp files, and of .pvd files the times and what is in the files that they list."""
import json
import os
import sys
import xml.etree.ElementTree as ET

from vtkmodules.vtkCommonCore import vtkIdList
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader


def values(array):
    width = array.GetNumberOfComponents()
    return [array.GetComponent(i, k) for i in range(array.GetNumberOfTuples()) for k in range(width)]


def arrays(data):
    result = {}
    for k in range(data.GetNumberOfArrays()):
        array = data.GetArray(k)
        kind = array.GetDataTypeAsString()
        result[array.GetName()] = {"type": kind, "components": array.GetNumberOfComponents(), "values": values(array)}
    return result


def cells(array):
    ids = vtkIdList()
    result = []
    array.InitTraversal()
    while array.GetNextCell(ids):
        result.append([ids.GetId(k) for k in range(ids.GetNumberOfIds())])
    return result


def read(path):
    reader = vtkXMLPolyDataReader()
    faults = []
    reader.AddObserver("ErrorEvent", lambda *_: faults.append(path))
    reader.AddObserver("WarningEvent", lambda *_: faults.append(path))
    if not reader.CanReadFile(path):
        sys.exit(path + ": VTK says that it cannot read this")
    reader.SetFileName(path)
    reader.Update()
    if faults:
        sys.exit(path + ": VTK complains")
    data = reader.GetOutput()
    points = data.GetPoints()
    return {
        "points": values(points.GetData()) if points else [],
        "pointType": points.GetData().GetDataTypeAsString() if points else None,
        "verts": cells(data.GetVerts()),
        "lines": cells(data.GetLines()),
        "polys": cells(data.GetPolys()),
        "pointData": arrays(data.GetPointData()),
        "cellData": arrays(data.GetCellData()),
        "fieldData": arrays(data.GetFieldData()),
    }


def collection(path):
    folder = os.path.dirname(path)
    sets = ET.parse(path).getroot().find("Collection").findall("DataSet")
    return [{"time": float(s.get("timestep")), **read(os.path.join(folder, s.get("file")))} for s in sets]


json.dump([collection(path) if path.endswith(".pvd") else read(path) for path in sys.argv[1:]], sys.stdout)
